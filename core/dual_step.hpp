// One row's maximiser over a of the dual, near enough.
//   a = -l'(z + q (a - a0)):  z the row's margin at a0, q = p ||x||^2 / alpha how fast it moves with a
// A Newton step from a0 is a <- a0 + (-l'(z) - a0) / (1 + q l''(z)): between a0 and -l'(z), so never outside the dual
// domain.  Where |l'''| <= l'', as of logistic and exponential, it is right to a fraction of the move of the margin.
// Yu, Huang, Lin 2011 take several such steps; here the exact prox answers where two are not enough.
#pragma once
#include "loss/all.hpp"

namespace widemargin {

constexpr double short_move = 0.25;  // of a margin, after which one Newton step is as good as the exact one
constexpr double much_nearer = 0.1;  // what a Newton step has to leave of the residual to be believed

struct DualStep {
  double a;          // where the row goes
  double curvature;  // l'' on the way
};

template <class L>
double exact_dual(double a, double z, double q) {
  double start = z - q * a;
  double next = q > 0 ? (L::prox(start, q) - start) / q : -L::d1(z);
  return std::clamp(next, L::meta.dual_lo, L::meta.dual_hi);
}

template <class L>
DualStep dual_step(double a, double z, double q) {
  if constexpr (L::meta.closed_prox) {
    return {exact_dual<L>(a, z, q), L::meta.curvature};
  } else {
    double bend = L::d2(z), residual = -L::d1(z) - a, next = a + residual / (1 + q * bend), move = q * (next - a);
    if (std::abs(move) <= short_move) return {next, bend};
    double bend_there = L::d2(z + move), left = -L::d1(z + move) - next;
    bend = std::max(bend, bend_there);
    if (std::abs(left) <= much_nearer * std::abs(residual)) return {next + left / (1 + q * bend_there), bend};
    return {exact_dual<L>(a, z, q), bend};
  }
}

}  // namespace widemargin
