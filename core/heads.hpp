// From scores to loss: how the scores f of K columns make one row's loss, its slopes and its curvature.
//   ovr     sum_k l(y_k f_k), y_k = +1 for the row's class and -1 else; two classes: K = 1 and y = -1/+1
//   softmax log sum_k e^(f_k) - f_y
//   rival   l(f_y - max_{k != y} f_k)                              Crammer, Singer 2001
#pragma once
#include "loss/all.hpp"
#include "rows.hpp"

namespace widemargin {

enum class Heads { ovr, softmax, rival };

inline int objectives(Heads heads, int K) { return heads == Heads::ovr ? K : 1; }

inline double sign_of(double y, int k, int K) { return K == 1 ? y : (static_cast<int>(y) == k ? 1.0 : -1.0); }

inline int best_rival(const double* f, int own, int K) {
  int best = own == 0 ? 1 : 0;
  for (int k = 0; k < K; ++k)
    if (k != own && f[k] > f[best]) best = k;
  return best;
}

template <class L>
void rival_tile(const Tile& t) {
  for (Index i = 0; i < t.m; ++i) {
    const double* f = t.scores + i * t.K;
    int own = static_cast<int>(t.y[i]), rival = best_rival(f, own, t.K);
    double z = f[own] - f[rival], p = t.p[i];
    if (t.slope) std::fill(t.slope + i * t.K, t.slope + (i + 1) * t.K, 0.0);
    if (p == 0) continue;
    *t.value += p * L::value(z);
    *t.errors += z <= 0 ? p : 0;
    if (!t.slope) continue;
    double d = p * L::d1(z);
    t.slope[i * t.K + own] = d;
    t.slope[i * t.K + rival] = -d;
  }
}

inline TileFunction tile_function(std::size_t loss, Heads heads) {
  if (heads == Heads::softmax) return current_level.softmax;
  if (loss >= Losses::size) throw std::out_of_range("no such entry in the list");
  if (heads == Heads::ovr) return current_level.losses[loss].ovr;
  TileFunction found = nullptr;
  Losses::visit(loss, [&]<class L>(L) { found = rival_tile<L>; });
  return found;
}

}  // namespace widemargin
