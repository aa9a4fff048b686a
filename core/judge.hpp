// One row's step: from the scores f of its K columns to the coefficients c of W += x c'.
// Explicit: c = -rate dl/df (Robbins, Monro 1951).  Implicit: the minimiser of rate l + ||W - W_old||^2 / 2,
// which for the hinge is passive-aggressive (Crammer et al. 2006; Kulis, Bartlett 2010).
#pragma once
#include "heads.hpp"

namespace widemargin {

struct StepRule {
  double rate;
  double sqnorm;  // of (x, 1) or x: how far one unit of c moves f
  bool implicit;
};

template <class L>
double coefficient(double z, double rate, double sqnorm, bool implicit) {
  double slope = L::d1(z);
  if (slope == 0) return 0;  // also at rate = inf
  if constexpr (Convex<L>) {
    if (implicit) return sqnorm > 0 ? (L::prox(z, rate * sqnorm) - z) / sqnorm : 0.0;
  }
  return -rate * slope;
}

// Each judge returns the row's margin and fills c.
template <class L>
struct Binary {
  using Loss = L;
  static constexpr bool one = true;
  static double step(const double* f, double y, int, const StepRule& r, double* c) {
    double z = y * *f;
    *c = y * coefficient<L>(z, r.rate, r.sqnorm, r.implicit);
    return z;
  }
  static double margin(const double* f, double y, int) { return y * *f; }
};

template <class L>
struct OneVsRest {
  static constexpr bool one = false;
  static double step(const double* f, double y, int K, const StepRule& r, double* c) {
    for (int k = 0; k < K; ++k) {
      double sign = sign_of(y, k, K);
      c[k] = sign * coefficient<L>(sign * f[k], r.rate, r.sqnorm, r.implicit);
    }
    return margin(f, y, K);
  }
  static double margin(const double* f, double y, int K) {
    int own = static_cast<int>(y);
    return f[own] - f[best_rival(f, own, K)];
  }
};

template <class L>
struct Rival {
  static constexpr bool one = false;
  static double step(const double* f, double y, int K, const StepRule& r, double* c) {
    int own = static_cast<int>(y), rival = best_rival(f, own, K);
    double z = f[own] - f[rival];
    std::fill(c, c + K, 0.0);
    c[own] = coefficient<L>(z, r.rate, 2 * r.sqnorm, r.implicit);  // both columns move
    c[rival] = -c[own];
    return z;
  }
  static double margin(const double* f, double y, int K) { return OneVsRest<L>::margin(f, y, K); }
};

struct Softmax {
  static constexpr bool one = false;
  static double step(const double* f, double y, int K, const StepRule& r, double* c) {
    std::copy(f, f + K, c);
    softmax(c, K);
    c[static_cast<int>(y)] -= 1;
    for (int k = 0; k < K; ++k) c[k] *= -r.rate;
    return margin(f, y, K);
  }
  static double margin(const double* f, double y, int K) {
    int own = static_cast<int>(y);
    return f[own] - f[best_rival(f, own, K)];
  }
};

}  // namespace widemargin
