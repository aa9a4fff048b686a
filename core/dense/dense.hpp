// Arithmetic on rows of dense memory, compiled once for each instruction-set level and chosen once, at run time.
//   dot <x, w>    axpy w += c x    scores f = X w    add g += X' c    gram G += X' diag(h) X
// A row's sum runs in 16 lanes, in one order whatever rows are beside it: blocks and threads do not change a bit.
#pragma once
#include "tile.hpp"

namespace widemargin {

constexpr Index lanes = 16;
constexpr Index strip = 8;        // columns of weights are padded to a multiple of it
constexpr Index gram_rows = 256;  // rows that one call of `gram` may take

template <class T>
struct DenseKernels {
  double (*dot)(const T* x, const double* w, Index d);
  void (*axpy)(double c, const T* x, double* w, Index d);
  double (*sqnorm)(const T* x, Index d);
  // w += c moved; found: <next, w>, <next, here>
  void (*step_ahead)(double c, const T* moved, double* w, const T* next, const T* here, Index d, double* found);
  // m rows, `stride` apart
  void (*scores)(const T* X, Index m, Index stride, Index d, const double* w, double* f);
  void (*add)(const T* X, Index m, Index stride, Index d, const double* c, double* g);
  // W, G (d, P) and f, c (m, P), P a multiple of 8
  void (*scores_many)(const T* X, Index m, Index stride, Index d, const double* W, Index P, double* f);
  void (*add_many)(const T* X, Index m, Index stride, Index d, const double* c, Index P, double* G);
  // G, (d + 1, d + 1), upper triangle of (x, 1): the rest is scratch; `room` as gram_room says
  void (*gram)(const T* X, Index m, Index stride, Index d, const double* h, double* G, double* room);
  // the same from products in single precision: what steers may be rough
  void (*rough_gram)(const T* X, Index m, Index stride, Index d, const double* h, double* G, double* room);
  // the largest |x|; NaN where one is not finite
  double (*extreme)(const T* x, Index count);
};

inline Index gram_room(Index d) { return 2 * gram_rows * (d + 1 + 4 * lanes); }

// What symmetric.hpp is made of; E is what products are made in.  Strips: see vector.hpp.
template <class E>
struct TileKernels {
  // rows `across` apart, their entries `along` apart, in strips of both kinds, filled up with 0
  void (*pack)(const double* A, Index rows, Index depth, Index across, Index along, E* left, E* right);
  void (*pack_single)(const float* A, Index rows, Index depth, Index across, Index along, E* left, E* right);
  // C += c left right', (rows, columns); on the diagonal what is above it is scratch
  void (*add)(const E* left, const E* right, Index rows, Index columns, Index depth, bool diagonal, double c, double* C,
              Index stride);
};

struct SymmetricKernels {
  TileKernels<double> exact;
  TileKernels<float> rough;
  // A <- A L'^-1 for rows of A, L lower and (m, m), m <= panel
  void (*solve)(const double* L, Index m, double* A, Index rows, Index stride);
};

constexpr Index panel = 64;

struct DenseLevel {
  const char* name;
  DenseKernels<double> f64;
  DenseKernels<float> f32;
  const LossKernels* const& losses;  // by number in the list of losses
  const TileFunction& softmax;
  const SymmetricKernels& symmetric;
};

// The best that this processor runs; WIDEMARGIN_ISA names a lower one.
extern const DenseLevel& current_level;

template <class T>
const DenseKernels<T>& dense_kernels() {
  if constexpr (sizeof(T) == 4) return current_level.f32;
  else return current_level.f64;
}

}  // namespace widemargin
