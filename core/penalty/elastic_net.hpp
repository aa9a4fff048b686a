// R(w) = rho ||w||_1 + (1 - rho) ||w||^2 / 2.  Zou, Hastie 2005.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct ElasticNet {
  static constexpr PenaltyMeta meta{.name = "elastic_net",
                                    .tex = R"(\rho\|w\|_1 + \tfrac{1-\rho}{2}\|w\|_2^2)",
                                    .reference = "Zou, Hastie 2005",
                                    .summary = "few weights, but correlated ones together",
                                    .separable = true,
                                    .parameter = "l1_ratio",
                                    .standard = 0.5,
                                    .low = 0,
                                    .high = 1};
  static double value(In w, double rho) {
    double sum = 0;  // not norm by norm: 0 times a square that overflowed is no number
    for (double x : w) sum += std::abs(x) * (rho + (1 - rho) / 2 * std::abs(x));
    return sum;
  }
  static void prox(In w, double t, double rho, Out x) {
    double l1 = rho > 0 ? t * rho : 0, l2 = rho < 1 ? t * (1 - rho) : 0;  // t may be infinite
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = soft_threshold(w[j], l1) / (1 + l2);
  }
  static double distance(In g, In w, double rho) {
    return length(g.size(), [&](auto j) {
      return w[j] == 0 ? beyond(g[j], rho) : g[j] + rho * sign(w[j]) + (1 - rho) * w[j];
    });
  }
  static double conjugate(In v, double rho) {
    if (rho == 1) return indicator(norm_max(v));
    double sum = 0;
    for (double x : v) sum += square(beyond(x, rho));
    return sum / (2 * (1 - rho));
  }
  static double dual_norm(In v, double) { return norm_max(v); }  // at rho = 1, where it is a norm
  static Shares shares(double rho) { return {rho, 1 - rho}; }
};

}  // namespace widemargin
