// The vector work of preconditioned conjugate gradients, each step in one reading of what it needs.  Hestenes, Stiefel 1952.
//   curve  q += l2 p, <p, q>, <p, M p>      step  x += a p, r -= a q, <r, r>, <r, r / M>      turn  p = r / M + beta p
// Columns are systems of their own.  Sums run in pieces of a fixed length, added in their order: threads change no bit.
#pragma once
#include <vector>

#include "pool.hpp"
#include "rows.hpp"

namespace widemargin {

class Systems {
 public:
  Systems(Index rows, Index columns, int threads)
      : rows_(rows), K_(columns), threads_(rows * columns > 4 * length ? threads : 1) {}

  void curve(const double* p, double* q, const double* M, const double* l2, double* pq, double* pMp) const {
    sums(pq, pMp, [=, K = K_](Index j, Index k, double* one, double* two) {
      Index at = j * K + k;
      q[at] += l2[j] * p[at];
      one[k] += p[at] * q[at];
      two[k] += p[at] * M[at] * p[at];
    });
  }

  void step(double* x, double* r, const double* p, const double* q, const double* M, const double* a, double* rr,
            double* rz) const {
    sums(rr, rz, [=, K = K_](Index j, Index k, double* one, double* two) {
      Index at = j * K + k;
      x[at] += a[k] * p[at];
      r[at] -= a[k] * q[at];
      one[k] += r[at] * r[at];
      two[k] += r[at] * r[at] / M[at];
    });
  }

  void turn(double* p, const double* r, const double* M, const double* beta) const {
    pieces([=, this](Index, Index lo, Index hi) {
      for (Index j = lo; j < hi; ++j)
        for (Index k = 0; k < K_; ++k) p[j * K_ + k] = r[j * K_ + k] / M[j * K_ + k] + beta[k] * p[j * K_ + k];
    });
  }

 private:
  static constexpr Index length = 8192;  // rows of a piece

  template <class F>
  void pieces(F f) const {
    Pools::run(threads_, (rows_ + length - 1) / length,
               [&](Index number) { f(number, number * length, std::min(rows_, (number + 1) * length)); });
  }

  template <class F>
  void sums(double* one, double* two, F f) const {
    Index count = (rows_ + length - 1) / length;
    std::vector<double> parts(2 * K_ * count, 0.0);
    pieces([&](Index number, Index lo, Index hi) {
      double* part = parts.data() + 2 * K_ * number;
      for (Index j = lo; j < hi; ++j)
        for (Index k = 0; k < K_; ++k) f(j, k, part, part + K_);
    });
    std::fill(one, one + K_, 0.0);
    std::fill(two, two + K_, 0.0);
    for (Index number = 0; number < count; ++number)
      for (Index k = 0; k < K_; ++k) {
        one[k] += parts[2 * K_ * number + k];
        two[k] += parts[2 * K_ * number + K_ + k];
      }
  }

  Index rows_, K_;
  int threads_;
};

}  // namespace widemargin
