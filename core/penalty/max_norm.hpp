// R(w) = max_j |w_j|.  The limit of p-norms; its dual ball is the L1 ball (Duchi et al. 2008).
#pragma once
#include <functional>

#include "meta.hpp"

namespace widemargin {

struct MaxNorm {
  static constexpr PenaltyMeta meta{.name = "max_norm", .tex = R"(\max_j |w_j|)", .reference = "Duchi et al. 2008",
                                    .summary = "no single weight dominates", .norm = true};
  static double value(In w, double) { return norm_max(w); }
  // everything above one height is cut down to it, which costs t in all
  static void prox(In w, double t, double, Out x) {
    if (norm1(w) <= t) return std::fill(x.begin(), x.end(), 0.0);
    std::vector<double> u(w.begin(), w.end());
    for (double& v : u) v = std::abs(v);
    double top = cut(u, t);
    for (std::size_t j = 0; j < w.size(); ++j) x[j] = std::clamp(w[j], -top, top);
  }
  // at w != 0 the subgradients are the convex hull of sign(w_j) e_j over the largest entries
  static double distance(In g, In w, double) {
    std::vector<double> r(g.begin(), g.end()), face;
    double top = norm_max(w);
    if (top == 0) {
      prox(g, 1, 0, r);  // g less its projection onto the dual ball
      return norm2(r);
    }
    auto largest = [&](std::size_t j) { return std::abs(w[j]) >= top * (1 - 1e-12); };
    for (std::size_t j = 0; j < w.size(); ++j)
      if (largest(j)) face.push_back(-g[j] * sign(w[j]));
    double theta = cut(face, 1);
    for (std::size_t j = 0; j < w.size(); ++j)
      if (largest(j)) r[j] += sign(w[j]) * std::max(0.0, r[j] * -sign(w[j]) - theta);
    return norm2(r);
  }
  static double dual_norm(In v, double) { return norm1(v); }
  static double conjugate(In v, double) { return indicator(norm1(v)); }

 private:
  // theta with sum_j max(0, u_j - theta) = total: down from the top, one entry more whenever its height is reached
  static double cut(std::vector<double> u, double total) {
    std::sort(u.begin(), u.end(), std::greater<>());
    double used = 0;
    std::size_t k = 1;
    for (; k < u.size(); ++k) {
      double next = used + static_cast<double>(k) * (u[k - 1] - u[k]);
      if (next >= total) break;
      used = next;
    }
    return u[k - 1] - (total - used) / static_cast<double>(k);
  }
};

}  // namespace widemargin
