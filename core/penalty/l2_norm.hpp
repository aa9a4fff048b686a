// R(w) = ||w||.  One group of the group lasso (Yuan, Lin 2006): all of w, or nothing.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct L2Norm {
  static constexpr PenaltyMeta meta{.name = "l2_norm", .tex = R"(\|w\|_2)", .reference = "Yuan, Lin 2006",
                                    .summary = "length of w itself; can hold all of w at 0", .norm = true};
  static double value(In w, double) { return norm2(w); }
  static void prox(In w, double t, double, Out x) {
    double r = norm2(w), keep = r > t ? 1 - t / r : 0;
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = keep * w[j];
  }
  static double distance(In g, In w, double) {
    double r = norm2(w);
    if (r == 0) return beyond(norm2(g), 1);
    return length(g.size(), [&](auto j) { return g[j] + w[j] / r; });
  }
  static double dual_norm(In v, double) { return norm2(v); }
  static double conjugate(In v, double) { return indicator(norm2(v)); }
};

}  // namespace widemargin
