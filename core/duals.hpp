// What rows say once their scores are known, X not read: dual points a = -l'(z), and the sums that a bound needs.
//   T = -sum p l*(-a),  excess = sum p a y,  mass = sum |p a y|,  tilt = sum p a y o     per column k
// Softmax: a are the probabilities, p a y becomes p (own class - a), and -l* their entropy.  Rows without weight count
// nothing.  Sums run over chunks of rows and then over the chunks in order: the same bits at any number of threads.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "dense/dense.hpp"
#include "heads.hpp"
#include "pool.hpp"

namespace widemargin {

struct RowFacts {
  Index n;
  int K;
  Heads heads;
  const double* y;
  const double* s;  // weights or null
  const double* o;  // offsets or null
  int offset_columns;
  double inverse_weight;

  double p(Index i) const { return inverse_weight * (s ? s[i] : 1.0); }
  double sign(Index i, int k) const { return sign_of(y[i], k, K); }
  double offset(Index i, int k) const { return o ? (offset_columns == 1 ? o[i] : o[i * K + k]) : 0.0; }
  // the factor of x in V
  double signed_dual(Index i, int k, double a) const {
    if (heads == Heads::softmax) return p(i) * ((static_cast<int>(y[i]) == k ? 1.0 : 0.0) - a);
    return p(i) * a * sign(i, k);
  }
};

constexpr Index chunk_rows = 4096;

// one(lo, hi, sums) adds up some rows; the sums of all are left in `total`
template <class F>
void over_chunks(Index n, int threads, std::size_t size, double* total, F one) {
  Index chunks = (n + chunk_rows - 1) / chunk_rows;
  std::vector<double> sums(chunks * size, 0.0);
  Pools::run(n > 4 * chunk_rows ? threads : 1, chunks, [&](Index at) {
    one(at * chunk_rows, std::min(n, (at + 1) * chunk_rows), sums.data() + at * size);
  });
  std::fill(total, total + size, 0.0);
  for (Index at = 0; at < chunks; ++at)
    for (std::size_t k = 0; k < size; ++k) total[k] += sums[at * size + k];
}

// a from scores; they may be the same array
inline void dual_points(const RowFacts& rows, const LossKernels& loss, const double* scores, double* a, int threads) {
  Index K = rows.K;
  over_chunks(rows.n, threads, 0, nullptr, [&](Index lo, Index hi, double*) {
    if (rows.heads == Heads::softmax) {
      if (a != scores) std::copy(scores + lo * K, scores + hi * K, a + lo * K);
      for (Index i = lo; i < hi; ++i) softmax(a + i * K, rows.K);
      return;
    }
    std::vector<double> z((hi - lo) * K);
    for (Index i = lo; i < hi; ++i)
      for (int k = 0; k < K; ++k) z[(i - lo) * K + k] = rows.sign(i, k) * scores[i * K + k];
    loss.d1(z.data(), (hi - lo) * K, a + lo * K);
    for (Index at = lo * K; at < hi * K; ++at) a[at] = -a[at];
  });
}

// sums (4, K): T, excess, mass, tilt; softmax has one T
inline void dual_sums(const RowFacts& rows, const LossKernels& loss, const double* a, double* sums, int threads) {
  int K = rows.K;
  bool joint = rows.heads == Heads::softmax;
  over_chunks(rows.n, threads, 4 * K, sums, [&](Index lo, Index hi, double* part) {
    std::vector<double> price((hi - lo) * K);
    if (!joint) loss.conjugate(a + lo * K, (hi - lo) * K, price.data());
    for (Index i = lo; i < hi; ++i) {
      double p = rows.p(i);
      if (p == 0) continue;
      for (int k = 0; k < K; ++k) {
        double x = a[i * K + k], u = rows.signed_dual(i, k, x);
        part[joint ? 0 : k] -= p * (joint ? xlogx(x) : price[(i - lo) * K + k]);
        part[K + k] += u;
        part[2 * K + k] += std::abs(u);
        part[3 * K + k] += u * rows.offset(i, k);
      }
    }
  });
}

// a <- (1 - theta) a + theta target.  Heads of their own: the target is 1 on the rows whose sign is side_k, else 0;
// softmax: side is a distribution over the classes, the same in every row.
inline void mix_duals(const RowFacts& rows, const double* theta, const double* side, double* a, int threads) {
  over_chunks(rows.n, threads, 0, nullptr, [&](Index lo, Index hi, double*) {
    for (Index i = lo; i < hi; ++i)
      for (int k = 0; k < rows.K; ++k) {
        double target = rows.heads == Heads::softmax ? side[k] : (rows.sign(i, k) == side[k] ? 1.0 : 0.0);
        a[i * rows.K + k] = (1 - theta[k]) * a[i * rows.K + k] + theta[k] * target;
      }
  });
}

inline void signed_duals(const RowFacts& rows, const double* a, double* out, int threads) {
  over_chunks(rows.n, threads, 0, nullptr, [&](Index lo, Index hi, double*) {
    for (Index i = lo; i < hi; ++i)
      for (int k = 0; k < rows.K; ++k) out[i * rows.K + k] = rows.signed_dual(i, k, a[i * rows.K + k]);
  });
}

// at scores + b of column k: sum p l, sum p l' y, sum p l'', sum |p l'|, sum of p where z <= 0
inline std::array<double, 5> shifted_sums(const RowFacts& rows, const LossKernels& loss, const double* scores, int columns,
                                          int k, double b, int threads) {
  std::array<double, 5> sums;
  over_chunks(rows.n, threads, 5, sums.data(), [&](Index lo, Index hi, double* part) {
    Index m = hi - lo;
    std::vector<double> room(4 * m);
    double *z = room.data(), *value = z + m, *d1 = value + m, *d2 = d1 + m;
    for (Index i = lo; i < hi; ++i) z[i - lo] = rows.sign(i, k) * ((scores ? scores[i * columns + k % columns] : 0.0) + b);
    loss.value(z, m, value), loss.d1(z, m, d1), loss.d2(z, m, d2);
    for (Index i = 0; i < m; ++i) {
      double p = rows.p(lo + i);
      if (p == 0) continue;
      part[0] += p * value[i];
      part[1] += p * d1[i] * rows.sign(lo + i, k);
      part[2] += p * d2[i];
      part[3] += std::abs(p * d1[i]);
      part[4] += z[i] <= 0 ? p : 0;
    }
  });
  return sums;
}

// sums (C, 1 + columns of o): p, and p o, over the rows of each class
inline void class_facts(const RowFacts& rows, int C, double* sums) {
  int width = 1 + (rows.o ? rows.offset_columns : 0);
  over_chunks(rows.n, 1, static_cast<std::size_t>(C) * width, sums, [&](Index lo, Index hi, double* part) {
    for (Index i = lo; i < hi; ++i) {
      double p = rows.p(i);
      double* own = part + (C == 2 ? (rows.y[i] > 0) : static_cast<int>(rows.y[i])) * width;
      own[0] += p;
      for (int k = 1; k < width; ++k) own[k] += p * rows.o[i * (width - 1) + k - 1];
    }
  });
}

}  // namespace widemargin
