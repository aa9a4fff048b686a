// R(w) = ||w||^2 / 2.  Tikhonov 1963; Hoerl, Kennard 1970.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct L2 {
  static constexpr PenaltyMeta meta{.name = "l2", .tex = R"(\tfrac12\|w\|_2^2)", .reference = "Hoerl, Kennard 1970",
                                    .summary = "small weights, wide margin", .separable = true, .smooth = true};
  static double value(In w, double) { return square(norm2(w)) / 2; }
  static void prox(In w, double t, double, Out x) {
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = w[j] / (1 + t);
  }
  static double distance(In g, In w, double) {
    return length(g.size(), [&](auto j) { return g[j] + w[j]; });
  }
  static double conjugate(In v, double) { return square(norm2(v)) / 2; }
  static Shares shares(double) { return {0, 1}; }
};

}  // namespace widemargin
