// R(w) = ||w||_1.  Tibshirani 1996.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct L1 {
  static constexpr PenaltyMeta meta{.name = "l1", .tex = R"(\|w\|_1)", .reference = "Tibshirani 1996",
                                    .summary = "few weights differ from 0", .norm = true, .separable = true};
  static double value(In w, double) { return norm1(w); }
  static void prox(In w, double t, double, Out x) {
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = soft_threshold(w[j], t);
  }
  static double distance(In g, In w, double) {
    return length(g.size(), [&](auto j) { return w[j] == 0 ? beyond(g[j], 1) : g[j] + sign(w[j]); });
  }
  static double dual_norm(In v, double) { return norm_max(v); }
  static double conjugate(In v, double) { return indicator(norm_max(v)); }
  static Shares shares(double) { return {1, 0}; }
};

}  // namespace widemargin
