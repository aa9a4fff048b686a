// One pass of SAGA: w <- prox(w - eta ((g_i - a_i) x_i + mean)), mean = sum a x / n, and a_i <- g_i, the slope of row i.
// Defazio, Bach, Lacoste-Julien 2014.  On sparse rows a weight is touched n_j times in n steps: there its share of the
// mean and of the penalty counts n / n_j times, which keeps the step's expectation, and a row's cost is its non-zeros:
// Pedregosa, Leblond, Lacoste-Julien 2017, algorithm 1.
#pragma once
#include "judge.hpp"
#include "pass.hpp"

namespace widemargin {

// times[j] = eta n / n_j;  W, mean: (d, K);  b, mean_b: (K,);  slopes: (n, K)
struct Saga {
  const double* times;
  double eta, l1, l2;
  bool intercept;
  double *W, *b, *slopes, *mean, *mean_b;
  double n;  // rows in the mean
  Index mistakes = 0;
};

template <class R>
void saga_pass(const R& X, int K, const Judge& judge, const SgdRows& rows, Saga& st) {
  std::vector<double> f(K), c(K);
  for (Index at = 0; at < rows.count; ++at) {
    Index i = rows.order ? rows.order[at] : at;
    if (rows.order && at + 8 < rows.count) X.prefetch(rows.order[at + 8]);
    scores(X, i, st.W, K, f.data());
    for (int k = 0; k < K; ++k) {
      f[k] += st.b[k];
      if (rows.o) f[k] += rows.offset_columns == 1 ? rows.o[i] : rows.o[i * K + k];
    }
    double weight = rows.s ? rows.s[i] / rows.mean_weight : 1.0;
    double margin = judge.step(f.data(), rows.y[i], K, StepRule{weight, 0.0, false, infinity<double>}, c.data());
    st.mistakes += margin <= 0 && weight > 0;
    double* a = st.slopes + i * K;
    for (int k = 0; k < K; ++k) {
      double slope = weight == 0 ? 0.0 : -c[k];
      c[k] = slope - a[k], a[k] = slope;
    }
    X.each(i, [&](Index j, double x) {
      if (x == 0) return;  // stored or not
      double step = st.times[j], shrink = 1 / (1 + step * st.l2);
      for (int k = 0; k < K; ++k) {
        double &w = st.W[j * K + k], &mean = st.mean[j * K + k], change = c[k] * x;
        w = shrink * soft_threshold(w - st.eta * change - step * mean, step * st.l1);
        mean += change / st.n;
      }
    });
    for (int k = 0; k < K && st.intercept; ++k) {
      st.b[k] -= st.eta * (c[k] + st.mean_b[k]);
      st.mean_b[k] += c[k] / st.n;
    }
  }
}

}  // namespace widemargin
