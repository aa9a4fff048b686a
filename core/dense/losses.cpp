// The tiles and maps of tile.hpp for one level.  Everything runs in blocks of a fixed length, the last one filled up:
// no remainder is left to scalar code, so a row's bits do not depend on the rows beside it.
// The losses are compiled under a name of this level: no copy of theirs can be taken for another level's.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "dense.hpp"

#define widemargin WIDEMARGIN_LOSSES
#include "../loss/all.hpp"
#undef widemargin

namespace widemargin::WIDEMARGIN_LEVEL {
namespace {

namespace loss = WIDEMARGIN_LOSSES;
constexpr Index block = 64;

template <class F>
inline void mapped(const double* z, Index n, double* out, F f) {
  for (Index at = 0; at < n; at += block) {
    Index count = n - at < block ? n - at : block;
    double in[block] = {}, found[block];
    for (Index i = 0; i < count; ++i) in[i] = z[at + i];
    for (Index i = 0; i < block; ++i) found[i] = f(in[i]);
    for (Index i = 0; i < count; ++i) out[at + i] = found[i];
  }
}

// value carries NaN itself: a diverged fit must show
template <class L> void value(const double* z, Index n, double* out) {
  mapped(z, n, out, [](double x) { return L::value(x); });
}
template <class L> void d1(const double* z, Index n, double* out) {
  mapped(z, n, out, [](double x) { double y = L::d1(x); return x == x ? y : x; });
}
template <class L> void d2(const double* z, Index n, double* out) {
  mapped(z, n, out, [](double x) { double y = L::d2(x); return x == x ? y : x; });
}
template <class L> void conjugate(const double* a, Index n, double* out) {
  mapped(a, n, out, [](double x) { double y = L::conjugate(x); return x == x ? y : x; });
}
template <class L> void probability(const double* f, Index n, double* out) {
  mapped(f, n, out, [](double x) { double y = L::probability(x); return x == x ? y : x; });
}

// z, y, p of a block of (row, column) pairs from `at` on
struct Margins {
  double z[block] = {}, y[block] = {}, p[block] = {};

  Margins(const Tile& t, Index at, Index count) {
    if (t.K == 1) {
      for (Index i = 0; i < count; ++i) y[i] = t.y[at + i], p[i] = t.p[at + i];
    } else {
      Index row = at / t.K, k = at % t.K;
      for (Index i = 0; i < count; ++i) {
        y[i] = static_cast<Index>(t.y[row]) == k ? 1.0 : -1.0, p[i] = t.p[row];
        if (++k == t.K) k = 0, ++row;
      }
    }
    for (Index i = 0; i < count; ++i) z[i] = y[i] * t.scores[at + i];
  }
};

template <class L>
void ovr(const Tile& t) {
  Index total = t.m * t.K, k = 0;
  for (Index at = 0; at < total; at += block) {
    Index count = total - at < block ? total - at : block;
    const Margins in(t, at, count);
    double value[block], slope[block], curve[block];
    for (Index i = 0; i < block; ++i) {  // where p = 0 the loss may be infinite: 0 * inf must not become NaN
      double p = in.p[i], v = p * L::value(in.z[i]), s = p * in.y[i] * L::d1(in.z[i]), c = p * L::d2(in.z[i]);
      value[i] = p == 0 ? 0 : v, slope[i] = p == 0 ? 0 : s, curve[i] = p == 0 ? 0 : c;
    }
    if (t.slope) for (Index i = 0; i < count; ++i) t.slope[at + i] = slope[i];
    if (t.curvature) for (Index i = 0; i < count; ++i) t.curvature[at + i] = curve[i];
    for (Index i = 0; i < count; ++i) {
      t.value[k] += value[i];
      t.errors[k] += in.z[i] <= 0 ? in.p[i] : 0;
      if (++k == t.K) k = 0;
    }
  }
}

// The probabilities of rows lo .. hi in `room`; log sum exp - f_own of each row in `lost`.  The largest term is 1 and is
// kept apart: a row that is told well has a loss far below 1, of which log(1 + the others) would keep few digits.
inline void probabilities(const Tile& t, Index lo, Index hi, double* lost) {
  double others[block], *room = t.room + lo * t.K;
  int largest[block];
  std::fill(others, others + block, 0.0);
  for (Index i = lo; i < hi; ++i) {
    const double* f = t.scores + i * t.K;
    int top = 0;
    for (int k = 1; k < t.K; ++k) top = f[k] > f[top] ? k : top;
    for (int k = 0; k < t.K; ++k) t.room[i * t.K + k] = f[k] - f[top];
    lost[i - lo] = -t.room[i * t.K + static_cast<Index>(t.y[i])];
    largest[i - lo] = top;
  }
  mapped(room, (hi - lo) * t.K, room, [](double x) { return loss::exp(x); });
  for (Index i = lo; i < hi; ++i) {
    double rest = 0, *e = t.room + i * t.K;
    for (int k = 0; k < t.K; ++k) rest += k == largest[i - lo] ? 0 : e[k];
    for (int k = 0; k < t.K; ++k) e[k] /= 1 + rest;
    others[i - lo] = rest;
  }
  for (Index i = 0; i < block; ++i) others[i] = loss::log1p(others[i]);
  for (Index i = 0; i < hi - lo; ++i) lost[i] += others[i];
}

// 1 - P(own class), from the others' probabilities: no digit is lost where it is small.
inline double missed(const double* probability, int own, int K) {
  double sum = 0;
  for (int k = 0; k < K; ++k) sum += k == own ? 0 : probability[k];
  return sum;
}

inline bool mistaken(const double* f, int own, int K) {
  for (int k = 0; k < K; ++k)
    if (k != own && f[k] >= f[own]) return true;
  return false;
}

void softmax(const Tile& t) {
  for (Index lo = 0; lo < t.m; lo += block) {
    Index hi = lo + block < t.m ? lo + block : t.m;
    double lost[block];
    probabilities(t, lo, hi, lost);
    for (Index i = lo; i < hi; ++i) {
      double p = t.p[i];
      int own = static_cast<int>(t.y[i]);
      *t.value += p == 0 ? 0 : p * lost[i - lo];
      *t.errors += mistaken(t.scores + i * t.K, own, t.K) ? p : 0;
      for (Index at = i * t.K; t.curvature && at < (i + 1) * t.K; ++at) t.curvature[at] = t.room[at];
      double wrong = missed(t.room + i * t.K, own, t.K);
      for (int k = 0; t.slope && k < t.K; ++k) t.slope[i * t.K + k] = p * (k == own ? -wrong : t.room[i * t.K + k]);
    }
  }
}

template <class L>
constexpr LossKernels kernels() {
  LossKernels all{ovr<L>, value<L>, d1<L>, d2<L>, nullptr, nullptr};
  if constexpr (L::meta.convex) all.conjugate = conjugate<L>;
  if constexpr (requires(double f) { L::probability(f); }) all.probability = probability<L>;
  return all;
}

template <class List>
struct Table;
template <class... L>
struct Table<loss::List<L...>> {
  static constexpr LossKernels all[] = {kernels<L>()...};
};

}  // namespace

extern const LossKernels* const loss_kernels;
const LossKernels* const loss_kernels = Table<loss::Losses>::all;
extern const TileFunction softmax_tile;
const TileFunction softmax_tile = softmax;

}  // namespace widemargin::WIDEMARGIN_LEVEL
