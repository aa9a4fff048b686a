// One pass over the rows: value, errors, gradient, Gram sums; Hessian products; Hessian diagonal.
//   value     sum p l(z)                        gradient  sum p l'(z) y (x, 1)
//   gram      sum p l''(z) (x, 1)(x, 1)'        product   sum p l''(z) (x, 1) <(x, 1), direction>
// A tile of rows is scored, judged and added while it is in cache.  Leaves: tree.hpp.
#pragma once
#include <bit>
#include <cmath>
#include <vector>

#include "heads.hpp"
#include "pool.hpp"
#include "tiles.hpp"
#include "tree.hpp"

namespace widemargin {

enum class Want { value, gradient, gram, product, diagonal };

struct Fold {
  Want want;
  Heads heads;
  int K;
  TileFunction judge;
  const double* y;
  const double* s;  // weights or null
  const double* o;  // offsets or null
  int offset_columns;
  double inverse_weight;  // p = s * inverse_weight
  const double *W, *b;
  const double *D = nullptr, *Db = nullptr;  // direction, for products
  double *scores = nullptr, *curvature = nullptr;  // per row, kept if not null
  Index leaf;
  int threads;
  bool rough = false;  // Gram sums from products in single precision
};

inline std::size_t fold_size(Want want, Heads heads, int K, Index d) {
  std::size_t H = objectives(heads, K), width = static_cast<std::size_t>(d + 1) * K;
  switch (want) {
    case Want::value: return 2 * H;
    case Want::gradient: return 2 * H + width;
    case Want::gram: return 2 * H + width + (heads == Heads::ovr ? width * (d + 1) : width * width);
    default: return width;
  }
}

// G += p (diag pi - pi pi') (x) (x, 1)(x, 1)', blocks j <= l, entry (j K + k, l K + c)
template <class R>
void add_softmax_outer(const R& X, Index i, double p, const double* pi, int K, std::vector<double>& x, double* G) {
  Index m = X.d + 1, width = m * K;
  x.assign(m, 0.0);
  X.each(i, [&](Index j, double v) { x[j] = v; });
  x[X.d] = 1;
  for (Index j = 0; j < m; ++j) {
    if (x[j] == 0) continue;
    for (Index l = j; l < m; ++l) {
      double c = p * x[j] * x[l];
      if (c == 0) continue;
      for (int k = 0; k < K; ++k) {
        double* g = G + (j * K + k) * width + l * K;
        for (int r = 0; r < K; ++r) g[r] -= c * pi[k] * pi[r];
        g[k] += c * pi[k];
      }
    }
  }
}

template <class R>
class LeafPass {
 public:
  LeafPass(const R& X, const Fold& job, double* part)
      : X_(X), job_(job), K_(job.K), d_(X.d), part_(part),
        score_(X, job.want == Want::product ? job.D : job.W, job.K, tile_),
        add_(X, job.K, job.want == Want::product ? part : part + 2 * objectives(job.heads, job.K), tile_) {
    Index bytes = std::max<Index>(1, 8 * X.nnz() / std::max<Index>(1, X.n));
    rows_ = std::clamp<Index>((Index{1} << 17) / bytes, 8, 1024);  // about 128 KB of X at a time
    if (job.want == Want::gram) rows_ = std::max(rows_, gram_rows);
    p_.resize(rows_), f_.resize(rows_ * K_), slope_.resize(rows_ * K_), curve_.resize(rows_ * K_);
  }

  void run(Index lo, Index hi) {
    for (Index start = lo; start < hi; start += rows_) tile(start, std::min(start + rows_, hi));
    add_.finish();
  }

 private:
  void tile(Index lo, Index hi) {
    for (Index i = lo; i < hi; ++i) p_[i - lo] = job_.inverse_weight * (job_.s ? job_.s[i] : 1.0);
    if (job_.want == Want::product) return product(lo, hi);
    if (job_.want == Want::diagonal) return diagonal(lo, hi, part_);
    score(lo, hi, job_.b, true);
    bool sloped = job_.want != Want::value, curved = job_.want == Want::gram || job_.curvature;
    int H = objectives(job_.heads, K_);
    job_.judge(Tile{hi - lo, K_, job_.y + lo, p_.data(), f_.data(), sloped ? slope_.data() : nullptr,
                    curved ? curve_.data() : nullptr, part_, part_ + H, slope_.data()});
    std::size_t used = static_cast<std::size_t>((hi - lo) * K_);
    if (job_.scores) std::copy_n(f_.data(), used, job_.scores + lo * K_);
    if (job_.curvature) std::copy_n(curve_.data(), used, job_.curvature + lo * K_);
    if (sloped) accumulate(lo, hi, slope_.data(), part_ + 2 * H);
    if (job_.want == Want::gram) gram(lo, hi, part_ + 2 * H + (d_ + 1) * K_);
  }

  void score(Index lo, Index hi, const double* b, bool offset) {
    score_(lo, hi, f_.data());
    for (Index i = lo; i < hi; ++i) {
      double* f = f_.data() + (i - lo) * K_;
      for (int k = 0; k < K_; ++k) {
        f[k] += b[k];
        if (offset && job_.o) f[k] += job_.offset_columns == 1 ? job_.o[i] : job_.o[i * K_ + k];
      }
    }
  }

  void accumulate(Index lo, Index hi, const double* c, double* G) {
    add_(lo, hi, c);
    double* Gb = G + d_ * K_;
    for (Index i = lo; i < hi; ++i, c += K_)
      for (int k = 0; k < K_; ++k) Gb[k] += c[k];
  }

  void gram(Index lo, Index hi, double* G) {
    Index m = d_ + 1;
    if (job_.heads == Heads::softmax) {
      for (Index i = lo; i < hi; ++i) add_softmax_outer(X_, i, p_[i - lo], curve_.data() + (i - lo) * K_, K_, x_, G);
      return;
    }
    for (int k = 0; k < K_; ++k) {
      for (Index i = lo; i < hi; ++i) p_[i - lo] = curve_[(i - lo) * K_ + k];
      add_gram(X_, lo, hi, p_.data(), job_.rough, G + k * m * m, x_, tile_);
    }
  }

  void product(Index lo, Index hi) {
    score(lo, hi, job_.Db, false);
    for (Index i = lo; i < hi; ++i) {
      const double* h = job_.curvature + i * K_;
      double *f = f_.data() + (i - lo) * K_, mean = 0, p = p_[i - lo];
      if (job_.heads == Heads::softmax)
        for (int k = 0; k < K_; ++k) mean += h[k] * f[k];
      for (int k = 0; k < K_; ++k) f[k] = job_.heads == Heads::softmax ? p * h[k] * (f[k] - mean) : h[k] * f[k];
    }
    accumulate(lo, hi, f_.data(), part_);
  }

  void diagonal(Index lo, Index hi, double* part) {
    double* last = part + d_ * K_;
    for (Index i = lo; i < hi; ++i) {
      const double* h = job_.curvature + i * K_;
      double* u = f_.data() + (i - lo) * K_;
      for (int k = 0; k < K_; ++k) {
        u[k] = job_.heads == Heads::softmax ? p_[i - lo] * h[k] * (1 - h[k]) : h[k];
        last[k] += u[k];
      }
      X_.each(i, [&](Index j, double x) {
        for (int k = 0; k < K_; ++k) part[j * K_ + k] += u[k] * x * x;
      });
    }
  }

  const R& X_;
  const Fold& job_;
  int K_;
  Index d_, rows_ = 0;
  double* part_;
  Room tile_;
  Scorer<R> score_;
  Adder<R> add_;
  std::vector<double> p_, f_, slope_, curve_, x_;
};

// Leaves that are summed at once; of wide sums few.
inline Index wave_of(std::size_t size, Index leaves, int threads) {
  return std::min<Index>(leaves, size > (1u << 16) ? threads : std::max(16, 2 * threads));
}

// Sums of `size` numbers that a fold holds at most, in calls of `rows` rows: the wave's and the tree's.
inline Index fold_parts(std::size_t size, Index n, Index rows, Index leaf, int threads) {
  Index most = 0, pushed = 0;
  for (Index start = 0; start < n; start += rows) {
    Index leaves = (std::min(rows, n - start) + leaf - 1) / leaf, wave = wave_of(size, leaves, threads);
    for (Index first = 0; first < leaves; first += wave) {
      Index count = std::min(wave, leaves - first);
      most = std::max<Index>(most, count + std::popcount(static_cast<std::uint64_t>(pushed)));
      pushed += count;
    }
  }
  return most;
}

// The sums of leaves of `leaf` rows, a wave at a time, into the tree: one(lo, hi, part) adds up rows lo ... hi - 1.
template <class F>
void leaves_of(Index n, Index leaf, int threads, Tree& tree, F one) {
  Index leaves = (n + leaf - 1) / leaf, wave = wave_of(tree.size(), leaves, threads);
  for (Index first = 0; first < leaves; first += wave) {
    Index count = std::min(wave, leaves - first);
    std::vector<Partial> parts(count);
    for (auto& part : parts) part = tree.leaf();
    Pools::run(threads, count, [&](Index at) {
      Index lo = (first + at) * leaf;
      one(lo, std::min(lo + leaf, n), parts[at].data());
    });
    for (auto& part : parts) tree.push(std::move(part));
  }
}

// Adds the leaves of one block to the tree.  A block starts at a multiple of the leaf size.
template <class R>
void fold(const R& X, const Fold& job, Tree& tree) {
  leaves_of(X.n, job.leaf, job.threads, tree,
            [&](Index lo, Index hi, double* part) { LeafPass<R>(X, job, part).run(lo, hi); });
}

// out = X W, rows shared out among threads
template <class R>
void all_scores(const R& X, const double* W, int K, int threads, double* out) {
  constexpr Index step = 1024, few = 128;
  Pools::run(threads, (X.n + step - 1) / step, [&](Index at) {
    Room tile;
    Scorer<R> score(X, W, K, tile);
    for (Index lo = at * step, end = std::min(X.n, lo + step); lo < end; lo += few)
      score(lo, std::min(end, lo + few), out + lo * K);
  });
}

// out += X' C
template <class R>
void all_added(const R& X, const double* C, int K, Index leaf, int threads, Tree& tree) {
  constexpr Index few = 256;
  leaves_of(X.n, leaf, threads, tree, [&](Index lo, Index hi, double* part) {
    Room tile;
    Adder<R> add(X, K, part, tile);
    for (; lo < hi; lo += few) add(lo, std::min(hi, lo + few), C + lo * K);
    add.finish();
  });
}

// sum of p x over each of C classes, (C, d); class_of(i) is a row's
template <class R, class F>
void class_sums(const R& X, F class_of, const double* s, double inverse_weight, Index leaf, int threads, Tree& tree) {
  leaves_of(X.n, leaf, threads, tree, [&](Index lo, Index hi, double* part) {
    for (Index i = lo; i < hi; ++i) {
      double p = inverse_weight * (s ? s[i] : 1.0);
      if (p != 0) X.axpy(i, p, part + class_of(i) * X.d);
    }
  });
}

// sum of |c x| per column and head, (d, K): how large the terms of X' C are
template <class R>
void all_reached(const R& X, const double* C, int K, Index leaf, int threads, Tree& tree) {
  leaves_of(X.n, leaf, threads, tree, [&](Index lo, Index hi, double* part) {
    for (Index i = lo; i < hi; ++i)
      X.each(i, [&](Index j, double x) {
        for (int k = 0; k < K; ++k) part[j * K + k] += std::abs(x * C[i * K + k]);
      });
  });
}

}  // namespace widemargin
