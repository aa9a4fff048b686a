// R(w) = number of w_j != 0.  Best subset selection; not convex.  Natarajan 1995: NP-hard.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Count {
  static constexpr PenaltyMeta meta{.name = "count", .tex = R"(\sum_j [w_j \ne 0])", .reference = "Natarajan 1995",
                                    .summary = "counts the features used; not convex", .convex = false,
                                    .separable = true};
  static double value(In w, double) {
    return static_cast<double>(w.size()) - static_cast<double>(std::count(w.begin(), w.end(), 0.0));
  }
  static void prox(In w, double t, double, Out x) {
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = std::abs(w[j]) > std::sqrt(2 * t) ? w[j] : 0.0;
  }
  static double distance(In g, In w, double) {
    return length(g.size(), [&](auto j) { return w[j] == 0 ? 0 : g[j]; });
  }
};

}  // namespace widemargin
