// Dual coordinate descent for any convex loss with an L2 penalty of strength alpha.
//   w = sum_i p_i a_i y_i x_i / alpha;  per row the exact maximiser over a_i:
//   a = -l'(z~), z~ = prox of q l at c = z - q a, q = p (||x||^2 + B^2) / alpha
// Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013.  b = centre + B^2 sum p a y / alpha: a bias feature of value B about a
// centre that the caller moves (a proximal point step), so that a free b is reached in the limit; B = 0: b stays.
#pragma once
#include "heads.hpp"

namespace widemargin {

struct DualRows {
  const double *y, *s, *o;
  int offset_columns;
  double inverse_weight;
  const Index* order;
  Index count;
};

struct DualState {
  double *W, *b;   // (d, K), (K,)
  double* a;       // (n, K)
  const double* sqnorms;  // (n,)
  double change;   // largest |change of a margin by its own step| of this sweep
};

template <class L, class R>
void dual_cd_sweep(const R& X, int K, const DualRows& rows, double alpha, double bias_sq, DualState& st) {
  std::vector<double> f(K), c(K);
  st.change = 0;
  for (Index at = 0; at < rows.count; ++at) {
    Index i = rows.order ? rows.order[at] : at;
    if (rows.order && at + 8 < rows.count) X.prefetch(rows.order[at + 8]);
    double p = rows.inverse_weight * (rows.s ? rows.s[i] : 1.0);
    if (p == 0) continue;
    double q = p * (st.sqnorms[i] + bias_sq) / alpha;
    scores(X, i, st.W, K, f.data());
    bool moved = false;
    for (int k = 0; k < K; ++k) {
      double o = rows.o ? (rows.offset_columns == 1 ? rows.o[i] : rows.o[i * K + k]) : 0.0;
      double sign = sign_of(rows.y[i], k, K), z = sign * (f[k] + st.b[k] + o);
      double& a = st.a[i * K + k];
      double start = z - q * a;
      double next = q > 0 ? (L::prox(start, q) - start) / q : -L::d1(z);
      next = std::clamp(next, L::meta.dual_lo, L::meta.dual_hi);
      double step = next - a;
      a = next;
      c[k] = p * step * sign / alpha;
      st.b[k] += bias_sq * c[k];
      st.change = std::max(st.change, std::abs(step) * (q > 0 ? q : 0.0));
      moved = moved || step != 0;
    }
    if (moved) add(X, i, c.data(), K, st.W);
  }
}

}  // namespace widemargin
