// One row's step: from the scores f of its K columns to the coefficients c of W += x c'.
// Explicit: c = -rate dl/df (Robbins, Monro 1951).  Implicit: the minimiser of rate l + ||W - W_old||^2 / 2,
// which for the hinge is passive-aggressive (Crammer et al. 2006; Kulis, Bartlett 2010).
#pragma once
#include "heads.hpp"
#include "row_loss.hpp"

namespace widemargin {

struct StepRule {
  double rate;
  double sqnorm;  // of (x, 1) or x: how far one unit of c moves f
  bool implicit;
  double steepest;
};

inline double coefficient(const RowLoss& loss, double z, const StepRule& r, double columns = 1) {
  double slope = loss.d1(z), sqnorm = columns * r.sqnorm;
  if (slope == 0) return 0;  // also at rate = inf
  if (r.implicit && loss.convex()) return sqnorm > 0 ? (loss.prox(z, r.rate * sqnorm) - z) / sqnorm : 0.0;
  return -r.rate * std::clamp(slope, -r.steepest, r.steepest);
}

// Fills c from the scores of a row, and tells its margin.
struct Judge {
  Heads heads;
  RowLoss loss;

  double step(const double* f, double y, int K, const StepRule& r, double* c) const {
    if (heads == Heads::softmax) by_softmax(f, y, K, r, c);
    else if (heads == Heads::rival) against_rival(f, y, K, r, c);
    else one_vs_rest(f, y, K, r, c);
    return margin(f, y, K);
  }

  double margin(const double* f, double y, int K) const {
    if (K == 1) return y * *f;
    int own = static_cast<int>(y);
    return f[own] - f[best_rival(f, own, K)];
  }

 private:
  void one_vs_rest(const double* f, double y, int K, const StepRule& r, double* c) const {
    for (int k = 0; k < K; ++k) {
      double sign = sign_of(y, k, K);
      c[k] = sign * coefficient(loss, sign * f[k], r);
    }
  }

  void against_rival(const double* f, double y, int K, const StepRule& r, double* c) const {
    int own = static_cast<int>(y), rival = best_rival(f, own, K);
    std::fill(c, c + K, 0.0);
    c[own] = coefficient(loss, f[own] - f[rival], r, 2);  // both columns move
    c[rival] = -c[own];
  }

  static void by_softmax(const double* f, double y, int K, const StepRule& r, double* c) {
    std::copy(f, f + K, c);
    softmax(c, K);
    c[static_cast<int>(y)] -= 1;
    for (int k = 0; k < K; ++k) c[k] *= -r.rate;
  }
};

}  // namespace widemargin
