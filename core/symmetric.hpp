// Symmetric products and factors in fixed tiles: the same bits at any number of threads.
//   C += c A A', lower triangle        H = L L', in place
// Goto, van de Geijn 2008 (ACM TOMS 34): tiles of packed strips; Dongarra et al. 1990: a factor panel by panel, each panel
// taken from what is right of it by the same product.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "dense/dense.hpp"
#include "pool.hpp"

namespace widemargin {

constexpr Index tile_rows = 96;    // of C; whole strips at every level
constexpr Index tile_depth = 256;  // columns of A that are packed at once

template <class E = double>
class SymmetricProduct {
 public:
  SymmetricProduct(double* C, Index n, Index stride, int threads)
      : C_(C), n_(n), stride_(stride), tiles_((n + tile_rows - 1) / tile_rows), threads_(n < 2 * tile_rows ? 1 : threads) {}

  // A (n, depth): rows `across` apart, their entries `along` apart
  template <class T>
  void add(const T* A, Index depth, Index across, Index along, double c) {
    for (Index k = 0; k < depth; k += tile_depth) {
      begin(std::min(tile_depth, depth - k));
      Pools::run(threads_, tiles_, [&](Index t) { pack(t, A + k * along, across, along); });
      multiply(c);
    }
  }

  // the same in two halves, for who has the tiles of A one by one
  void begin(Index depth) {
    depth_ = depth;
    packed_.resize(2 * tiles_ * tile_rows * depth);
  }
  template <class T>
  void pack(Index t, const T* A, Index across, Index along) {
    Index lo = t * tile_rows, rows = std::min(tile_rows, n_ - lo);
    const auto& kernels = kernels_of_level();
    if constexpr (sizeof(T) == 8) kernels.pack(A + lo * across, rows, depth_, across, along, left(t), right(t));
    else kernels.pack_single(A + lo * across, rows, depth_, across, along, left(t), right(t));
  }
  void multiply(double c) {
    Pools::run(threads_, tiles_ * (tiles_ + 1) / 2, [&](Index at) {
      Index i = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(at) + 1) - 1) / 2), j = at - i * (i + 1) / 2;
      Index lo = i * tile_rows, first = j * tile_rows;
      kernels_of_level().add(left(i), right(j), std::min(tile_rows, n_ - lo), std::min(tile_rows, n_ - first),
                                  depth_, i == j, c, C_ + lo * stride_ + first, stride_);
    });
  }

  Index tiles() const { return tiles_; }
  int threads() const { return threads_; }

 private:
  static const TileKernels<E>& kernels_of_level() {
    if constexpr (sizeof(E) == 8) return current_level.symmetric.exact;
    else return current_level.symmetric.rough;
  }
  E* left(Index t) { return packed_.data() + 2 * t * tile_rows * depth_; }
  E* right(Index t) { return left(t) + tile_rows * depth_; }

  double* C_;
  Index n_, stride_, tiles_, depth_ = 0;
  int threads_;
  std::vector<E> packed_;
};

// copies the lower triangle to the upper one, in squares that stay in cache
inline void mirror_lower(double* C, Index n) {
  constexpr Index side = 32;
  for (Index i = 0; i < n; i += side)
    for (Index j = 0; j <= i; j += side)
      for (Index k = i; k < std::min(n, i + side); ++k)
        for (Index l = j; l < std::min(k, j + side); ++l) C[l * n + k] = C[k * n + l];
}

// the lower triangle of at most `panel` rows, by rows of its transpose; false where a pivot is not positive
inline bool factor_corner(double* H, Index m, Index stride) {
  std::array<double, panel * panel> U{};
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) U[j * panel + i] = H[i * stride + j];
  for (Index j = 0; j < m; ++j) {
    double* row = U.data() + j * panel;
    if (!(row[j] > 0) || !std::isfinite(row[j])) return false;
    double root = std::sqrt(row[j]);
    for (Index k = j; k < m; ++k) row[k] /= root;
    for (Index i = j + 1; i < m; ++i) current_level.f64.axpy(-row[i], row + i, U.data() + i * panel + i, m - i);
  }
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) H[i * stride + j] = U[j * panel + i];
  return true;
}

// H = L L' for a symmetric H, read below its diagonal; L takes its place, and what is above is scratch
inline bool factor_symmetric(double* H, Index n, int threads) {
  for (Index k = 0; k < n; k += panel) {
    Index m = std::min(panel, n - k), below = k + m;
    double* corner = H + k * n + k;
    if (!factor_corner(corner, m, n)) return false;
    if (below == n) break;
    double *A = H + below * n + k, *rest = H + below * n + below;
    SymmetricProduct<> product(rest, n - below, n, threads);
    product.begin(m);
    Pools::run(product.threads(), product.tiles(), [&](Index t) {
      Index lo = t * tile_rows;
      current_level.symmetric.solve(corner, m, A + lo * n, std::min(tile_rows, n - below - lo), n);
      product.pack(t, A, n, 1);
    });
    product.multiply(-1.0);
  }
  return true;
}

}  // namespace widemargin
