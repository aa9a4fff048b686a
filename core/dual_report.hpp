// What a dual point a and a primal point (W, b) are worth, in one pass: per head
//   value sum p l(z)   errors sum p [z <= 0]   conjugate sum p l*(-a)   excess sum p a y   offset sum p a y o
//   slope sum p y l'(z)   curvature sum p l''(z)       the last two lead to the best b by Newton's method
#pragma once
#include "heads.hpp"
#include "pool.hpp"

namespace widemargin {

constexpr int dual_report_size = 7;

struct DualReport {
  const double *y, *s, *o;
  int offset_columns;
  double inverse_weight;
  const double *W, *b, *a;
};

template <class L>
void add_dual_report(double p, double sign, double f, double o, double a, double* sums) {
  double z = sign * f;
  sums[0] += p * L::value(z);
  sums[1] += z <= 0 ? p : 0.0;
  sums[2] += p * L::conjugate(a);
  sums[3] += p * a * sign;
  sums[4] += p * a * sign * o;
  sums[5] += p * sign * L::d1(z);
  sums[6] += p * L::d2(z);
}

// out (K, 7); leaves of a fixed number of rows, added in their order
template <class L, class R>
void dual_report(const R& X, int K, const DualReport& at, int threads, double* out) {
  constexpr Index leaf = 2048;
  Index leaves = (X.n + leaf - 1) / leaf, width = K * dual_report_size;
  std::vector<double> parts(leaves * width, 0.0);
  Pools::run(threads, leaves, [&](Index number) {
    std::vector<double> f(K);
    for (Index i = number * leaf; i < std::min(X.n, (number + 1) * leaf); ++i) {
      double p = at.inverse_weight * (at.s ? at.s[i] : 1.0);
      if (p == 0) continue;
      scores(X, i, at.W, K, f.data());
      for (int k = 0; k < K; ++k) {
        double o = at.o ? (at.offset_columns == 1 ? at.o[i] : at.o[i * K + k]) : 0.0;
        add_dual_report<L>(p, sign_of(at.y[i], k, K), f[k] + at.b[k] + o, o, at.a[i * K + k],
                         parts.data() + number * width + k * dual_report_size);
      }
    }
  });
  std::fill(out, out + width, 0.0);
  for (Index number = 0; number < leaves; ++number)
    for (Index j = 0; j < width; ++j) out[j] += parts[number * width + j];
}

}  // namespace widemargin
