// What the kernels of one level share: its registers, and the block of a product that fills them.
// Everything is local to the file that includes it: the linker must not take one level's copy for another's.
#pragma once
#include "dense.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace widemargin::WIDEMARGIN_LEVEL {
namespace {

constexpr Index V = WIDEMARGIN_VECTOR;
using d2 = double __attribute__((vector_size(16), aligned(8)));
using d4 = double __attribute__((vector_size(32), aligned(8)));
using d8 = double __attribute__((vector_size(64), aligned(8)));
using floats = float __attribute__((vector_size(4 * V), aligned(4)));
using vec = double __attribute__((vector_size(8 * V), aligned(8)));
constexpr Index A = lanes / V;                       // registers that a row's sum runs in
using whole_floats = float __attribute__((vector_size(8 * V), aligned(4)));
constexpr Index MR = V == 8 ? 8 : 4, NV = 3;  // a block of the Gram matrix fills the registers

inline vec load(const double* x) { return *reinterpret_cast<const vec*>(x); }
#ifdef __AVX512F__
inline vec load(const float* x) { return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(x)); }  // gcc 12 cuts a conversion in two
#else
inline vec load(const float* x) { return __builtin_convertvector(*reinterpret_cast<const floats*>(x), vec); }
#endif
inline void store(double* to, vec x) { *reinterpret_cast<vec*>(to) = x; }

inline double sum(d2 s) { return s[0] + s[1]; }
inline double sum(d4 s) {
  return sum(__builtin_shufflevector(s, s, 0, 1) + __builtin_shufflevector(s, s, 2, 3));
}
inline double sum(d8 s) {
  return sum(__builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7));
}
inline double sum(const vec (&a)[A]) {
  vec s[A];
  for (Index k = 0; k < A; ++k) s[k] = a[k];
  for (Index half = A / 2; half; half /= 2)
    for (Index k = 0; k < half; ++k) s[k] += s[k + half];
  return sum(s[0]);
}

// A product as in Goto, van de Geijn 2008: strips of MR rows on the left, of NR on the right; E is what it is made in.
template <class E>
constexpr Index NR = NV * V * 8 / sizeof(E);

inline vec whole(const double* x) { return load(x); }
inline whole_floats whole(const float* x) { return *reinterpret_cast<const whole_floats*>(x); }

template <class E>
inline void gram_block(const E* left, const E* right, Index m, E* out) {
  using W = decltype(whole(right));
  constexpr Index N = NR<E>, L = N / NV;
  W acc[MR][NV] = {};
  for (Index i = 0; i < m; ++i) {
    W b[NV];
    for (Index v = 0; v < NV; ++v) b[v] = whole(right + i * N + v * L);
    for (Index r = 0; r < MR; ++r)
      for (Index v = 0; v < NV; ++v) acc[r][v] += left[i * MR + r] * b[v];
  }
  for (Index r = 0; r < MR; ++r)
    for (Index v = 0; v < NV; ++v) *reinterpret_cast<W*>(out + r * N + v * L) = acc[r][v];
}

}  // namespace
}  // namespace widemargin::WIDEMARGIN_LEVEL
