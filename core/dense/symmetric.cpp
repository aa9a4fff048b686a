// The kernels of ../symmetric.hpp for one level.
#include "vector.hpp"

namespace widemargin::WIDEMARGIN_LEVEL {
namespace {

constexpr Index R = 8;  // registers of rows that a panel is solved for at once

template <Index S, class T, class E>
void strips(const T* A, Index rows, Index depth, Index across, Index along, E* out) {
  for (Index j = 0; j < rows; j += S, out += depth * S)
    if (j + S <= rows && across == 1) {
      for (Index k = 0; k < depth; ++k)
        for (Index l = 0; l < S; ++l) out[k * S + l] = static_cast<E>(A[k * along + j + l]);
    } else {
      for (Index l = 0; l < S; ++l)
        for (Index k = 0; k < depth; ++k)
          out[k * S + l] = j + l < rows ? static_cast<E>(A[(j + l) * across + k * along]) : E(0);
    }
}

template <class T, class E>
void pack(const T* A, Index rows, Index depth, Index across, Index along, E* left, E* right) {
  strips<MR>(A, rows, depth, across, along, left);
  strips<NR<E>>(A, rows, depth, across, along, right);
}

template <class E>
void add(const E* left, const E* right, Index rows, Index columns, Index depth, bool diagonal, double c, double* C,
         Index stride) {
  constexpr Index N = NR<E>;
  E out[MR * N];
  for (Index l = 0; l < columns; l += N)
    for (Index j = diagonal ? l / MR * MR : 0; j < rows; j += MR) {
      gram_block(left + j * depth, right + l * depth, depth, out);
      for (Index r = 0; r < MR && j + r < rows; ++r) {
        double* to = C + (j + r) * stride + l;
        if (l + N <= columns)
          for (Index k = 0; k < N; k += V) store(to + k, load(to + k) + c * load(out + r * N + k));
        else
          for (Index k = 0; l + k < columns; ++k) to[k] += c * static_cast<double>(out[r * N + k]);
      }
    }
}

// R V rows at once, turned: x[j] holds their entries j
void solve(const double* L, Index m, double* A, Index rows, Index stride) {
  double x[panel * R * V];
  for (Index i = 0; i < rows; i += R * V) {
    Index count = i + R * V <= rows ? R * V : rows - i;
    for (Index l = 0; l < R * V; ++l)
      for (Index j = 0; j < m; ++j) x[j * R * V + l] = l < count ? A[(i + l) * stride + j] : 0.0;
    for (Index j = 0; j < m; ++j) {
      vec a[R];
      for (Index r = 0; r < R; ++r) a[r] = load(x + (j * R + r) * V);
      for (Index k = 0; k < j; ++k)
        for (Index r = 0; r < R; ++r) a[r] -= L[j * stride + k] * load(x + (k * R + r) * V);
      for (Index r = 0; r < R; ++r) store(x + (j * R + r) * V, a[r] / L[j * stride + j]);
    }
    for (Index l = 0; l < count; ++l)
      for (Index j = 0; j < m; ++j) A[(i + l) * stride + j] = x[j * R * V + l];
  }
}

template <class E>
constexpr TileKernels<E> tiles() {
  return {pack<double, E>, pack<float, E>, add<E>};
}

}  // namespace

extern const SymmetricKernels symmetric_kernels;
const SymmetricKernels symmetric_kernels{tiles<double>(), tiles<float>(), solve};

}  // namespace widemargin::WIDEMARGIN_LEVEL
