// The kernels of dense.hpp for one level: WIDEMARGIN_LEVEL names it, WIDEMARGIN_VECTOR is its doubles per register.
// No template of the standard library here: its copy for this level might be taken for another.
#include "vector.hpp"

namespace widemargin::WIDEMARGIN_LEVEL {
namespace {

constexpr Index rows_at_once = V == 8 ? 4 : (V == 4 ? 2 : 1);

// R rows at once, each with registers of its own
template <Index R, class T>
inline void dots(const T* X, Index stride, Index d, const double* w, double* f) {
  vec a[R][A] = {};
  Index j = 0;
  for (; j + lanes <= d; j += lanes)
    for (Index r = 0; r < R; ++r)
      for (Index k = 0; k < A; ++k) a[r][k] += load(X + r * stride + j + k * V) * load(w + j + k * V);
  for (; j + V <= d; j += V)
    for (Index r = 0; r < R; ++r) a[r][0] += load(X + r * stride + j) * load(w + j);
  for (Index r = 0; r < R; ++r) {
    double rest = 0;
    for (Index l = j; l < d; ++l) rest += static_cast<double>(X[r * stride + l]) * w[l];
    f[r] = sum(a[r]) + rest;
  }
}

template <class T>
double dot(const T* x, const double* w, Index d) {
  double f;
  dots<1>(x, 0, d, w, &f);
  return f;
}

template <class T>
void axpy(double c, const T* x, double* w, Index d) {
  for (Index j = 0; j < d; ++j) w[j] += c * static_cast<double>(x[j]);
}

template <class T>
void step_ahead(double c, const T* moved, double* w, const T* next, const T* here, Index d, double* found) {
  vec score[A] = {}, shared[A] = {};
  auto take = [&](Index j, Index k) __attribute__((always_inline)) {
    vec v = load(w + j) + c * load(moved + j), x = load(next + j);
    store(w + j, v);
    score[k] += x * v;
    shared[k] += x * load(here + j);
  };
  Index j = 0;
  for (; j + lanes <= d; j += lanes)
    for (Index k = 0; k < A; ++k) take(j + k * V, k);
  for (; j + V <= d; j += V) take(j, 0);
  double rest[2] = {0, 0};
  for (; j < d; ++j) {
    double x = static_cast<double>(next[j]);
    w[j] += c * static_cast<double>(moved[j]);
    rest[0] += x * w[j];
    rest[1] += x * static_cast<double>(here[j]);
  }
  found[0] = sum(score) + rest[0];
  found[1] = sum(shared) + rest[1];
}

template <class T>
double sqnorm(const T* x, Index d) {
  vec a[A] = {};
  Index j = 0;
  for (; j + lanes <= d; j += lanes)
    for (Index k = 0; k < A; ++k) a[k] += load(x + j + k * V) * load(x + j + k * V);
  double rest = 0;
  for (; j < d; ++j) rest += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  return sum(a) + rest;
}

template <class T>
double extreme(const T* x, Index count) {
  vec top[A] = {}, spoilt[A] = {};
  Index j = 0;
  for (; j + lanes <= count; j += lanes)
    for (Index k = 0; k < A; ++k) {
      vec v = load(x + j + k * V), size = v < 0 ? -v : v;
      top[k] = size > top[k] ? size : top[k];
      spoilt[k] += v * 0;  // NaN from what is not finite
    }
  double most = 0, rest = 0;
  for (Index k = 0; k < A; ++k)
    for (Index l = 0; l < V; ++l) most = top[k][l] > most ? top[k][l] : most;
  for (; j < count; ++j) {
    double v = static_cast<double>(x[j]), size = v < 0 ? -v : v;
    most = size > most ? size : most;
    rest += v * 0;
  }
  return most + (sum(spoilt) + rest);
}

template <class T>
void scores(const T* X, Index m, Index stride, Index d, const double* w, double* f) {
  Index i = 0;
  for (; i + rows_at_once <= m; i += rows_at_once) dots<rows_at_once>(X + i * stride, stride, d, w, f + i);
  for (; i < m; ++i) dots<1>(X + i * stride, stride, d, w, f + i);
}

template <class T>
void add(const T* X, Index m, Index stride, Index d, const double* c, double* g) {
  Index i = 0;
  for (; i + 4 <= m; i += 4) {
    const T *x0 = X + i * stride, *x1 = x0 + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    double c0 = c[i], c1 = c[i + 1], c2 = c[i + 2], c3 = c[i + 3];
    Index j = 0;
    for (; j + V <= d; j += V)
      store(g + j, load(g + j) + ((c0 * load(x0 + j) + c1 * load(x1 + j)) + (c2 * load(x2 + j) + c3 * load(x3 + j))));
    for (; j < d; ++j) {
      double low = c0 * static_cast<double>(x0[j]) + c1 * static_cast<double>(x1[j]);
      g[j] += low + (c2 * static_cast<double>(x2[j]) + c3 * static_cast<double>(x3[j]));
    }
  }
  for (; i < m; ++i) axpy(c[i], X + i * stride, g, d);
}

// P columns of weights, in strips of one register
template <Index R, class T>
inline void scores_block(const T* X, Index stride, Index d, const double* W, Index P, double* f) {
  for (Index k = 0; k < P; k += V) {
    vec a[R] = {};
    for (Index j = 0; j < d; ++j) {
      vec w = load(W + j * P + k);
      for (Index r = 0; r < R; ++r) a[r] += static_cast<double>(X[r * stride + j]) * w;
    }
    for (Index r = 0; r < R; ++r) store(f + r * P + k, a[r]);
  }
}

template <class T>
void scores_many(const T* X, Index m, Index stride, Index d, const double* W, Index P, double* f) {
  Index i = 0;
  for (; i + 8 <= m; i += 8) scores_block<8>(X + i * stride, stride, d, W, P, f + i * P);
  for (; i < m; ++i) scores_block<1>(X + i * stride, stride, d, W, P, f + i * P);
}

template <Index R, class T>
inline void add_block(const T* X, Index stride, Index d, const double* c, Index P, double* G) {
  for (Index k = 0; k < P; k += V) {
    vec a[R];
    for (Index r = 0; r < R; ++r) a[r] = load(c + r * P + k);
    for (Index j = 0; j < d; ++j) {
      vec g = load(G + j * P + k);
      for (Index r = 0; r < R; ++r) g += static_cast<double>(X[r * stride + j]) * a[r];
      store(G + j * P + k, g);
    }
  }
}

template <class T>
void add_many(const T* X, Index m, Index stride, Index d, const double* c, Index P, double* G) {
  Index i = 0;
  for (; i + 4 <= m; i += 4) add_block<4>(X + i * stride, stride, d, c + i * P, P, G);
  for (; i < m; ++i) add_block<1>(X + i * stride, stride, d, c + i * P, P, G);
}

// `left` holds h x in strips of MR columns, `right` x in strips of NR
template <class T, class E>
void pack(const T* X, Index m, Index stride, Index d, const double* h, E* left, E* right) {
  constexpr Index N = NR<E>;
  Index wide = (d + N) / N * N, high = (d + MR) / MR * MR;
  for (Index i = 0; i < m; ++i) {
    const T* x = X + i * stride;
    auto at = [=](Index j) { return j < d ? static_cast<E>(x[j]) : (j == d ? E(1) : E(0)); };
    Index j = 0;
    for (; j + N <= d; j += N)
      for (Index l = 0; l < N; ++l) right[j * m + i * N + l] = static_cast<E>(x[j + l]);
    for (; j < wide; j += N)
      for (Index l = 0; l < N; ++l) right[j * m + i * N + l] = at(j + l);
    for (j = 0; j + MR <= d; j += MR)
      for (Index l = 0; l < MR; ++l) left[j * m + i * MR + l] = static_cast<E>(h[i] * static_cast<double>(x[j + l]));
    for (; j < high; j += MR)
      for (Index l = 0; l < MR; ++l) left[j * m + i * MR + l] = static_cast<E>(h[i] * static_cast<double>(at(j + l)));
  }
}

// products of at most gram_rows rows are added up in E, the blocks in double
template <class T, class E>
void gram(const T* X, Index m, Index stride, Index d, const double* h, double* G, double* room) {
  constexpr Index N = NR<E>;
  Index width = d + 1;
  E *left = reinterpret_cast<E*>(room), *right = left + gram_rows * (width + lanes), out[MR * N];
  pack(X, m, stride, d, h, left, right);
  for (Index l = 0; l < width; l += N)
    for (Index j = 0; j < width && j < l + N; j += MR) {
      gram_block(left + j * m, right + l * m, m, out);
      for (Index r = 0; r < MR && j + r < width; ++r)
        for (Index k = 0; k < N && l + k < width; ++k) G[(j + r) * width + l + k] += static_cast<double>(out[r * N + k]);
    }
}

template <class T>
constexpr DenseKernels<T> all() {
  return {dot<T>, axpy<T>, sqnorm<T>, step_ahead<T>, scores<T>, add<T>, scores_many<T>, add_many<T>,
          gram<T, double>, gram<T, float>, extreme<T>};
}

}  // namespace

extern const LossKernels* const loss_kernels;  // losses.cpp
extern const TileFunction softmax_tile;
extern const SymmetricKernels symmetric_kernels;  // symmetric.cpp
extern const DenseLevel level;
const DenseLevel level{WIDEMARGIN_NAME, all<double>(), all<float>(), loss_kernels, softmax_tile, symmetric_kernels};

}  // namespace widemargin::WIDEMARGIN_LEVEL
