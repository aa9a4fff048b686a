// H x = g for a small symmetric positive definite H, by Cholesky with one refinement.  Larger systems go to LAPACK.
#pragma once
#include <cmath>
#include <vector>

#include "rows.hpp"

namespace widemargin {

// copies the upper triangle of each m x m matrix to the lower one
inline void mirror(double* H, Index matrices, Index m) {
  for (Index h = 0; h < matrices; ++h, H += m * m)
    for (Index j = 0; j < m; ++j)
      for (Index k = j + 1; k < m; ++k) H[k * m + j] = H[j * m + k];
}

// x <- (L L')^-1 x, rows of L adjacent
inline void solve_factored(const double* L, Index m, double* x) {
  const auto& k = dense_kernels<double>();
  for (Index j = 0; j < m; ++j) x[j] = (x[j] - k.dot(L + j * m, x, j)) / L[j * m + j];
  for (Index j = m; j-- > 0;) {
    x[j] /= L[j * m + j];
    k.axpy(-x[j], L + j * m, x, j);
  }
}

class Cholesky {
 public:
  // false where a pivot is not positive
  bool factor(const double* H, Index m) {
    m_ = m;
    L_.assign(H, H + m * m);
    for (Index j = 0; j < m; ++j) {
      double* row = L_.data() + j * m;
      for (Index k = 0; k < j; ++k) row[k] = (row[k] - dense_kernels<double>().dot(row, L_.data() + k * m, k)) / L_[k * m + k];
      double pivot = row[j] - dense_kernels<double>().dot(row, row, j);
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      row[j] = std::sqrt(pivot);
    }
    return true;
  }

  void solve(double* x) const { solve_factored(L_.data(), m_, x); }

 private:
  Index m_ = 0;
  std::vector<double> L_;
};

// x = H^-1 g; false where H is not positive definite
inline bool solve_positive(const double* H, const double* g, Index m, double* x) {
  Cholesky factor;
  if (!factor.factor(H, m)) return false;
  std::vector<double> r(m);
  std::copy(g, g + m, x);
  factor.solve(x);
  for (Index j = 0; j < m; ++j) r[j] = g[j] - dense_kernels<double>().dot(H + j * m, x, m);
  factor.solve(r.data());
  for (Index j = 0; j < m; ++j) x[j] += r[j];
  return true;
}

}  // namespace widemargin
