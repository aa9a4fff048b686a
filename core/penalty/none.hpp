// R(w) = 0.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct None {
  static constexpr PenaltyMeta meta{.name = "none", .tex = "0", .reference = "Legendre 1805",
                                    .summary = "nothing holds w back", .separable = true, .smooth = true};
  static double value(In, double) { return 0; }
  static void prox(In w, double, double, Out x) { std::copy(w.begin(), w.end(), x.begin()); }
  static double distance(In g, In, double) { return norm2(g); }
  static double conjugate(In v, double) { return norm_max(v) == 0 ? 0.0 : infinity<double>; }
  static Shares shares(double) { return {0, 0}; }
};

}  // namespace widemargin
