// Rows of X: dense, dense of any type and strides, CSR, CSR whose values are all 1.  The only place that knows a layout.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <variant>
#include <vector>

#include "dense/dense.hpp"

namespace widemargin {

// Where rows that are not stored as a kernel wants them are put, a few at a time: rows lo, lo + 1, ..., hi - 1.
struct Room {
  std::vector<double> x;
  Index lo = 0, hi = 0;
};

// sums of squares and of sizes of at(0), ..., at(n - 1), in chains: the latency of adding is hidden
struct Norms {
  double square, absolute;
};
template <class At>
Norms norms(Index n, At at) {
  double square[4]{}, absolute[4]{};
  auto take = [&](Index k, int chain) {
    double v = at(k);
    square[chain] += v * v, absolute[chain] += std::abs(v);
  };
  Index k = 0;
  for (; k + 4 <= n; k += 4)
    for (int chain = 0; chain < 4; ++chain) take(k + chain, chain);
  for (; k < n; ++k) take(k, 0);
  return {(square[0] + square[1]) + (square[2] + square[3]), (absolute[0] + absolute[1]) + (absolute[2] + absolute[3])};
}

template <class T>
struct Dense {
  using Value = T;
  static constexpr bool dense = true;
  const T* x;
  Index n, d, stride;

  const T* row(Index i) const { return x + i * stride; }
  const T* row(Index i, std::vector<T>&) const { return row(i); }
  const T* tile(Index lo, Index, Room&) const { return row(lo); }
  Index tile_stride() const { return stride; }
  Index count(Index) const { return d; }
  Index nnz() const { return n * d; }
  void prefetch(Index i) const { __builtin_prefetch(row(i)); }
  void prefetch_place(Index) const {}
  void prefetch_whole(Index) const {}  // the processor sees that a row goes on

  template <class F>
  void each(Index i, F f) const {
    const T* r = row(i);
    for (Index j = 0; j < d; ++j) f(j, static_cast<double>(r[j]));
  }
  double dot(Index i, const double* w) const { return dense_kernels<T>().dot(row(i), w, d); }
  void axpy(Index i, double c, double* w) const { dense_kernels<T>().axpy(c, row(i), w, d); }
  double sqnorm(Index i) const { return dense_kernels<T>().sqnorm(row(i), d); }
  Norms norms_at(Index, const double* w) const {
    return norms(d, [=](Index j) { return w[j]; });
  }
  double axpy_square(Index i, double c, double* w) const {
    axpy(i, c, w);
    return dense_kernels<double>().sqnorm(w, d);
  }
};

// Dense memory of any type of number and any strides, read into float64 tile by tile: one more layout serves them all,
// and its tiles are what Dense<double> would hold, so that the sums are the same to the last bit.
struct Strided {
  using Value = double;
  static constexpr bool dense = true;
  using Load = void (*)(const char* x, Index m, Index d, Index row_step, Index column_step, double* out);
  const char* x;
  Index n, d, row_step, column_step;  // steps in bytes
  Load load;                          // m rows -> (m, d)

  Index count(Index) const { return d; }
  Index nnz() const { return n * d; }
  Index tile_stride() const { return d; }
  void prefetch(Index) const {}
  void prefetch_place(Index) const {}
  void prefetch_whole(Index) const {}

  // Columns far apart are read some cache lines at a time: more rows than were asked for.
  const double* tile(Index lo, Index hi, Room& room) const {
    if (lo < room.lo || hi > room.hi) {
      Index ahead = std::abs(column_step) > std::abs(row_step) ? (Index{1} << 16) / (d + 1) : 0;
      room.lo = lo, room.hi = std::max(hi, std::min(n, lo + ahead));
      room.x.resize((room.hi - lo) * d);
      load(x + lo * row_step, room.hi - lo, d, row_step, column_step, room.x.data());
    }
    return room.x.data() + (lo - room.lo) * d;
  }

  const double* row(Index i, std::vector<double>& room) const {
    room.resize(d);
    load(x + i * row_step, 1, d, row_step, column_step, room.data());
    return room.data();
  }

  // One row, in memory of its own: on the stack, unless it is so long that an allocation no longer counts.
  template <class F>
  auto with_row(Index i, F f) const {
    constexpr Index small = 1024;
    double few[small];
    std::vector<double> many(d > small ? d : 0);
    double* r = d > small ? many.data() : few;
    load(x + i * row_step, 1, d, row_step, column_step, r);
    return f(static_cast<const double*>(r));
  }
  template <class F>
  void each(Index i, F f) const {
    with_row(i, [&](const double* r) {
      for (Index j = 0; j < d; ++j) f(j, r[j]);
    });
  }
  double dot(Index i, const double* w) const {
    return with_row(i, [&](const double* r) { return dense_kernels<double>().dot(r, w, d); });
  }
  void axpy(Index i, double c, double* w) const {
    with_row(i, [&](const double* r) { dense_kernels<double>().axpy(c, r, w, d); });
  }
  double sqnorm(Index i) const {
    return with_row(i, [&](const double* r) { return dense_kernels<double>().sqnorm(r, d); });
  }
  Norms norms_at(Index, const double* w) const {
    return norms(d, [=](Index j) { return w[j]; });
  }
  double axpy_square(Index i, double c, double* w) const {
    axpy(i, c, w);
    return dense_kernels<double>().sqnorm(w, d);
  }
};

struct One {};  // the value type of a CSR matrix that stores no values

template <class T>
struct Csr {
  static constexpr bool dense = false;
  const T* x;
  const std::int32_t* index;
  const Index* ptr;
  Index n, d;

  Index count(Index i) const { return ptr[i + 1] - ptr[i]; }
  Index nnz() const { return ptr[n] - ptr[0]; }
  double at(Index k) const {
    if constexpr (std::is_same_v<T, One>) return 1.0;
    else return static_cast<double>(x[k]);
  }
  void prefetch_place(Index i) const { __builtin_prefetch(ptr + i); }
  void prefetch(Index i) const {
    __builtin_prefetch(index + ptr[i]);
    __builtin_prefetch(index + ptr[i] + 16);
    if constexpr (!std::is_same_v<T, One>) {
      __builtin_prefetch(x + ptr[i]);
      __builtin_prefetch(x + ptr[i] + 64 / sizeof(T));
    }
  }
  void prefetch_whole(Index i) const {
    Index lo = ptr[i] + 32, hi = ptr[i + 1];
    for (Index k = lo; k < hi; k += 16) __builtin_prefetch(index + k);
    if constexpr (!std::is_same_v<T, One>)
      for (Index k = lo; k < hi; k += 64 / sizeof(T)) __builtin_prefetch(x + k);
  }

  template <class F>
  void each(Index i, F f) const {
    for (Index k = ptr[i], end = ptr[i + 1]; k < end; ++k) f(static_cast<Index>(index[k]), at(k));
  }
  double dot(Index i, const double* w) const {
    double a = 0, b = 0, c = 0, e = 0;  // four chains: the latency of adding is hidden
    Index k = ptr[i], end = ptr[i + 1];
    for (; k + 4 <= end; k += 4) {
      a += at(k) * w[index[k]];
      b += at(k + 1) * w[index[k + 1]];
      c += at(k + 2) * w[index[k + 2]];
      e += at(k + 3) * w[index[k + 3]];
    }
    for (; k < end; ++k) a += at(k) * w[index[k]];
    return (a + b) + (c + e);
  }
  void axpy(Index i, double c, double* w) const {
    for (Index k = ptr[i], end = ptr[i + 1]; k < end; ++k) w[index[k]] += c * at(k);
  }
  double sqnorm(Index i) const {
    if constexpr (std::is_same_v<T, One>) return static_cast<double>(count(i));
    double sum = 0;
    for (Index k = ptr[i], end = ptr[i + 1]; k < end; ++k) sum += at(k) * at(k);
    return sum;
  }
  // of w in the columns that this row stores
  Norms norms_at(Index i, const double* w) const {
    const std::int32_t* j = index + ptr[i];
    return norms(count(i), [=](Index k) { return w[j[k]]; });
  }
  // w += c x, and the square of what is then in these columns
  double axpy_square(Index i, double c, double* w) const {
    const std::int32_t* j = index + ptr[i];
    return norms(count(i), [=, from = ptr[i], this](Index k) { return w[j[k]] += c * at(from + k); }).square;
  }
};

using AnyRows = std::variant<Dense<double>, Dense<float>, Strided, Csr<double>, Csr<float>, Csr<One>>;

// f = W' x_i for K columns of a row-major W
template <class R>
void scores(const R& X, Index i, const double* W, int K, double* f) {
  if (K == 1) {
    *f = X.dot(i, W);
    return;
  }
  for (int k = 0; k < K; ++k) f[k] = 0;
  X.each(i, [&](Index j, double x) {
    const double* w = W + j * K;
    for (int k = 0; k < K; ++k) f[k] += x * w[k];
  });
}

// W += x_i c'
template <class R>
void add(const R& X, Index i, const double* c, int K, double* W) {
  if (K == 1) {
    if (*c != 0) X.axpy(i, *c, W);
    return;
  }
  X.each(i, [&](Index j, double x) {
    double* w = W + j * K;
    for (int k = 0; k < K; ++k) w[k] += x * c[k];
  });
}

}  // namespace widemargin
