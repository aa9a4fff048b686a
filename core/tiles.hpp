// What a pass does with a few rows at a time, while they are in cache:
//   scores  F = X W      add  G += X' C      gram  G += (X, 1)' diag(h) (X, 1), upper triangle
// Dense rows go to the kernels of their instruction-set level, sparse rows one by one.
#pragma once
#include <algorithm>
#include <vector>

#include "rows.hpp"

namespace widemargin {

template <class R>
concept DenseRows = requires(const R& X) { X.tile_stride(); };

// K columns of weights for whole registers: (d, K) -> (d, P), P the next multiple of `strip`
inline Index padded(int K) { return (K + strip - 1) / strip * strip; }

inline void pad(const double* from, Index rows, int K, std::vector<double>& to) {
  Index P = padded(K);
  to.assign(rows * P, 0.0);
  for (Index j = 0; j < rows; ++j) std::copy(from + j * K, from + (j + 1) * K, to.data() + j * P);
}

// X W for tiles of rows; W is read once, when the scorer is made.
template <class R>
class Scorer {
 public:
  Scorer(const R& X, const double* W, int K, Room& tile) : X_(X), W_(W), K_(K), tile_(tile) {
    if constexpr (DenseRows<R>)
      if (K > 1) pad(W, X.d, K, padded_);
  }

  void operator()(Index lo, Index hi, double* f) {
    if constexpr (DenseRows<R>) {
      const auto& k = dense_kernels<typename R::Value>();
      const auto* x = X_.tile(lo, hi, tile_);
      if (K_ == 1) return k.scores(x, hi - lo, X_.tile_stride(), X_.d, W_, f);
      Index P = padded(K_);
      room_.resize((hi - lo) * P);
      k.scores_many(x, hi - lo, X_.tile_stride(), X_.d, padded_.data(), P, room_.data());
      for (Index i = 0; i < hi - lo; ++i) std::copy_n(room_.data() + i * P, K_, f + i * K_);
    } else {
      for (Index i = lo; i < hi; ++i) scores(X_, i, W_, K_, f + (i - lo) * K_);
    }
  }

 private:
  const R& X_;
  const double* W_;
  int K_;
  Room& tile_;
  std::vector<double> padded_, room_;
};

// G += X' C for tiles of rows; what many dense columns add up to is in G after `finish`.
template <class R>
class Adder {
 public:
  Adder(const R& X, int K, double* G, Room& tile) : X_(X), K_(K), G_(G), tile_(tile) {}

  void operator()(Index lo, Index hi, const double* c) {
    if constexpr (DenseRows<R>) {
      const auto& k = dense_kernels<typename R::Value>();
      const auto* x = X_.tile(lo, hi, tile_);
      if (K_ == 1) return k.add(x, hi - lo, X_.tile_stride(), X_.d, c, G_);
      if (wide_.empty()) wide_.assign(X_.d * padded(K_), 0.0);
      pad(c, hi - lo, K_, room_);
      k.add_many(x, hi - lo, X_.tile_stride(), X_.d, room_.data(), padded(K_), wide_.data());
    } else {
      for (Index i = lo; i < hi; ++i)
        if (K_ > 1 || c[i - lo] != 0) add(X_, i, c + (i - lo) * K_, K_, G_);  // duals are often 0
    }
  }

  void finish() {
    Index P = padded(K_);
    for (Index j = 0; j < static_cast<Index>(wide_.size()) / P; ++j)
      for (int k = 0; k < K_; ++k) G_[j * K_ + k] += wide_[j * P + k];
    std::fill(wide_.begin(), wide_.end(), 0.0);
  }

 private:
  const R& X_;
  int K_;
  double* G_;
  Room& tile_;
  std::vector<double> wide_, room_;
};

// one sparse row: G += h (x, 1)(x, 1)', upper triangle, leading dimension d + 1
template <class R>
void add_outer(const R& X, Index i, double h, double* G) {
  Index d = X.d, m = d + 1;
  if (h == 0) return;
  for (Index a = X.ptr[i], end = X.ptr[i + 1]; a < end; ++a) {
    double c = h * X.at(a);
    Index j = X.index[a];
    for (Index k = a; k < end; ++k) {  // indices need not be sorted within a row
      Index l = X.index[k];
      G[std::min(j, l) * m + std::max(j, l)] += c * X.at(k);
    }
    G[j * m + d] += c;
  }
  G[d * m + d] += h;
}

template <class R>
void add_gram(const R& X, Index lo, Index hi, const double* h, bool rough, double* G, std::vector<double>& room,
              Room& tile) {
  if constexpr (DenseRows<R>) {
    const auto& k = dense_kernels<typename R::Value>();
    auto add = rough ? k.rough_gram : k.gram;
    room.resize(gram_room(X.d));
    for (Index i = lo; i < hi; i += gram_rows) {
      Index m = std::min(gram_rows, hi - i);
      add(X.tile(i, i + m, tile), m, X.tile_stride(), X.d, h + (i - lo), G, room.data());
    }
  } else {
    for (Index i = lo; i < hi; ++i) add_outer(X, i, h[i - lo], G);
  }
}

}  // namespace widemargin
