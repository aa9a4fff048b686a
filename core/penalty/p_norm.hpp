// R(w) = ||w||_p for p >= 1;  sum |w|^p for 0 < p < 1 (not convex, and w = 0 is always a local minimum).
// Frank, Friedman 1993.
#pragma once
#include "l1.hpp"
#include "l2_norm.hpp"
#include "max_norm.hpp"

namespace widemargin {

struct PNorm {
  static constexpr PenaltyMeta meta{.name = "p_norm",
                                    .tex = R"(\|w\|_p)",
                                    .reference = "Frank, Friedman 1993",
                                    .summary = "between count (p to 0) and max (p to infinity)",
                                    .norm = true,
                                    .parameter = "p",
                                    .standard = 1.5,
                                    .low = 0.01,
                                    .high = infinity<double>};
  static bool convex(double p) { return p >= 1; }
  static bool separable(double p) { return p <= 1; }
  static Shares shares(double p) { return p == 1 ? L1::shares(0) : Shares{}; }
  static double dual(double p) { return p == 1 ? infinity<double> : (std::isinf(p) ? 1.0 : p / (p - 1)); }

  static double value(In w, double p) {
    if (p >= 1) return norm_p(w, p);
    double sum = 0;
    for (double x : w) sum += power(x, p);
    return sum;
  }
  static void prox(In w, double t, double p, Out x) {
    if (p == 1) return L1::prox(w, t, 0, x);
    if (p == 2) return L2Norm::prox(w, t, 0, x);
    if (std::isinf(p)) return MaxNorm::prox(w, t, 0, x);
    if (p > 1) return shrink(w, t, p, x);
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = sign(w[j]) * bridge(std::abs(w[j]), t, p);
  }
  static double distance(In g, In w, double p) {
    if (p == 1) return L1::distance(g, w, 0);
    if (std::isinf(p)) return MaxNorm::distance(g, w, 0);
    if (p < 1)  // every slope is a limiting subgradient at 0
      return length(g.size(), [&](auto j) { return w[j] == 0 ? 0 : g[j] + p * sign(w[j]) * power(w[j], p - 1); });
    double size = norm_p(w, p);
    if (size > 0) return length(g.size(), [&](auto j) { return g[j] + sign(w[j]) * power(w[j] / size, p - 1); });
    std::vector<double> r(g.size());
    prox(g, 1, p, r);  // g less its projection onto the dual ball
    return norm2(r);
  }
  static double dual_norm(In v, double p) { return norm_p(v, dual(p)); }
  static double conjugate(In v, double p) { return indicator(dual_norm(v, p)); }

 private:
  static double power(double x, double p) { return x == 0 ? 0 : std::pow(std::abs(x), p); }

  // argmin_{x >= 0} t x^p + (x - a)^2 / 2, p < 1: the larger stationary point, or 0 if that is better
  static double bridge(double a, double t, double p) {
    if (!(t > 0) || a == 0) return a;
    double turn = std::pow(t * p * (1 - p), 1 / (2 - p));  // the derivative is smallest here
    if (turn >= a || turn + t * p * std::pow(turn, p - 1) >= a) return 0;
    double x = increasing_root(turn, a, a, [&](double u) {
      double slope = t * p * std::pow(u, p - 1);
      return std::pair(u + slope - a, 1 - (1 - p) * slope / u);
    });
    return t * std::pow(x, p - 1) < a - x / 2 ? x : 0;
  }

  // 1 < p < inf.  By Moreau 1962, v = (w - x) / t lies on the dual unit sphere and x = t mu v^(q-1), mu = ||x||_p / t,
  // for signs apart.  So v + mu v^(q-1) = |w| / t per coordinate, and mu is where ||v||_q = 1.
  struct Pair {
    double v, power;  // v^(q-1)
  };
  static void shrink(In w, double t, double p, Out x) {
    double q = dual(p), size = norm_p(w, p) / t;
    if (norm_p(w, q) <= t) return std::fill(x.begin(), x.end(), 0.0);
    std::copy(w.begin(), w.end(), x.begin());
    if (!std::isfinite(size)) return;  // t is lost in the rounding of w
    std::vector<double> v(w.size());
    // 1 / ||v||_q is almost linear in mu (exactly so for p = 2), which makes Newton's steps good
    double mu = increasing_root(0.0, size, size, [&](double m) {
      for (std::size_t j = 0; j < w.size(); ++j) v[j] = split(std::abs(w[j]) / t, m, p).v;
      double norm = norm_p(v, q), slope = 0;
      for (double y : v) {
        double g = power(y, q - 1);
        if (y > 0) slope += power(y / norm, q - 1) * y * g / (y + (q - 1) * m * g);
      }
      return std::pair(1 / norm - 1, slope / square(norm));
    });
    for (std::size_t j = 0; j < w.size(); ++j) {
      double a = std::abs(w[j]);
      auto [y, g] = split(a / t, mu, p);
      x[j] = sign(w[j]) * (g * mu < y ? t * (mu * g) : a - t * y);  // the form that does not cancel
    }
  }

  // v + mu v^(q-1) = c, by the convex side, from above, where Newton's method cannot fail
  static Pair split(double c, double mu, double p) {
    double q = dual(p), bound = std::pow(c / mu, p - 1);
    if (c == 0) return {0, 0};
    if (p < 2) {
      double high = std::min(c, bound);
      double v = increasing_root(0.0, high, high, [&](double y) {
        double g = std::pow(y, q - 2);
        return std::pair(y + mu * y * g - c, 1 + mu * (q - 1) * g);
      });
      return {v, std::pow(v, q - 1)};
    }
    double high = std::min(std::pow(c, q - 1), c / mu);
    double g = increasing_root(0.0, high, high, [&](double y) {
      double v = std::pow(y, p - 2);
      return std::pair(y * v + mu * y - c, (p - 1) * v + mu);
    });
    return {std::pow(g, p - 1), g};
  }
};

}  // namespace widemargin
