// Some columns of X, gathered from its rows and kept side by side; and the same columns with their rows scaled by
// sqrt(h), so that H = X' diag(h) X = Z'Z and coordinate descent walks one array a column.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pool.hpp"
#include "rows.hpp"

namespace widemargin {

// Z = diag(sqrt h) X, and per column  g = x.r ,  hess = |z|^2 ,  on_b = z.sqrt(h)
struct Moments {
  const double *root, *r;
  double *g, *hess, *on_b;
};

// columns as rows of an array of n values each
template <class T>
struct DenseColumns {
  using View = Dense<T>;
  Index n;
  Index count = 0;
  std::vector<T> x{};
  std::vector<double> z{};

  View view() const { return {x.data(), count, n, n}; }
  Dense<double> scaled() const { return {z.data(), count, n, n}; }

  void gather(const Dense<T>& X, const Index* ids, Index more, int threads) {
    constexpr Index block = 32;  // rows whose values of one column are written together
    x.resize((count + more) * n);
    T* to = x.data() + count * n;
    Pools::run(threads, (n + block - 1) / block, [&](Index at) {
      Index lo = at * block, hi = std::min(n, lo + block);
      for (Index k = 0; k < more; ++k)
        for (Index i = lo; i < hi; ++i) to[k * n + i] = X.row(i)[ids[k]];
    });
    count += more;
  }
  void gather(const Strided& X, const Index* ids, Index more, int threads)
    requires std::is_same_v<T, double>
  {
    x.resize((count + more) * n);
    Pools::run(threads, more, [&](Index k) {
      X.load(X.x + ids[k] * X.column_step, n, 1, X.row_step, X.column_step, x.data() + (count + k) * n);
    });
    count += more;
  }
  // rows of X'
  void take(const Dense<T>& turned, const Index* ids, Index more) {
    for (Index k = 0; k < more; ++k) x.insert(x.end(), turned.row(ids[k]), turned.row(ids[k]) + n);
    count += more;
  }
  void take(const Strided& turned, const Index* ids, Index more)
    requires std::is_same_v<T, double>
  {
    for (Index k = 0; k < more; ++k) turned.each(ids[k], [&](Index, double v) { x.push_back(v); });
    count += more;
  }
  void scale(Index j, const Moments& m) {
    const T* from = x.data() + j * n;
    double* to = z.data() + j * n;
    for (Index i = 0; i < n; ++i) to[i] = m.root[i] * static_cast<double>(from[i]);
    m.g[j] = view().dot(j, m.r), m.hess[j] = scaled().sqnorm(j), m.on_b[j] = scaled().dot(j, m.root);
  }
};

// columns as compressed rows
template <class T>
struct SparseColumns {
  using View = Csr<T>;
  Index n;
  Index count = 0;
  std::vector<T> x{};
  std::vector<std::int32_t> index{};
  std::vector<Index> ptr{0};
  std::vector<double> z{};

  View view() const { return {x.data(), index.data(), ptr.data(), count, n}; }
  Csr<double> scaled() const { return {z.data(), index.data(), ptr.data(), count, n}; }

  // counted, then filled, in parts of the rows whose number depends on the shape only
  void gather(const Csr<T>& X, const Index* ids, Index more, int threads) {
    std::vector<std::int32_t> place(X.d, -1);
    for (Index k = 0; k < more; ++k) place[ids[k]] = static_cast<std::int32_t>(k);
    Index parts = std::clamp<Index>(X.nnz() / (1 << 16), 1, 32), step = (n + parts - 1) / parts;
    std::vector<std::vector<Index>> at(parts, std::vector<Index>(more, 0));
    auto chosen = [&](Index part, auto&& take) {
      for (Index e = X.ptr[std::min(n, part * step)], end = X.ptr[std::min(n, (part + 1) * step)]; e < end; ++e)
        if (std::int32_t k = place[X.index[e]]; k >= 0) take(e, k);
    };
    Pools::run(threads, parts, [&](Index part) { chosen(part, [&](Index, std::int32_t k) { ++at[part][k]; }); });
    Index end = ptr.back();
    for (Index k = 0; k < more; ++k) {
      for (Index part = 0; part < parts; ++part) end += std::exchange(at[part][k], end);
      ptr.push_back(end);
    }
    index.resize(end);
    if constexpr (!std::is_same_v<T, One>) x.resize(end);
    Pools::run(threads, parts, [&](Index part) {
      for (Index i = part * step; i < std::min(n, (part + 1) * step); ++i)
        for (Index e = X.ptr[i]; e < X.ptr[i + 1]; ++e)
          if (std::int32_t k = place[X.index[e]]; k >= 0) {
            Index to = at[part][k]++;
            index[to] = static_cast<std::int32_t>(i);
            if constexpr (!std::is_same_v<T, One>) x[to] = X.x[e];
          }
    });
    count += more;
  }
  // rows of X'
  void take(const Csr<T>& turned, const Index* ids, Index more) {
    for (Index k = 0; k < more; ++k) {
      Index lo = turned.ptr[ids[k]], hi = turned.ptr[ids[k] + 1];
      index.insert(index.end(), turned.index + lo, turned.index + hi);
      if constexpr (!std::is_same_v<T, One>) x.insert(x.end(), turned.x + lo, turned.x + hi);
      ptr.push_back(ptr.back() + hi - lo);
    }
    count += more;
  }
  void scale(Index j, const Moments& m) {  // all in one reading
    View from = view();
    double g = 0, hess = 0, on_b = 0;
    for (Index e = ptr[j]; e < ptr[j + 1]; ++e) {
      double value = from.at(e), root = m.root[index[e]], own = root * value;
      z[e] = own;
      g += value * m.r[index[e]], hess += own * own, on_b += own * root;
    }
    m.g[j] = g, m.hess[j] = hess, m.on_b[j] = on_b;
  }
};

template <class R>
struct ColumnsOf;
template <class T>
struct ColumnsOf<Dense<T>> {
  using type = DenseColumns<T>;
};
template <>
struct ColumnsOf<Strided> {
  using type = DenseColumns<double>;
};
template <class T>
struct ColumnsOf<Csr<T>> {
  using type = SparseColumns<T>;
};

using AnyColumns = std::variant<DenseColumns<double>, DenseColumns<float>, SparseColumns<double>, SparseColumns<float>,
                                SparseColumns<One>>;

template <class S>
void scale_columns(S& store, const Moments& m, int threads) {
  store.z.resize(store.view().nnz());
  constexpr Index block = 8;
  Pools::run(threads, (store.count + block - 1) / block, [&](Index at) {
    for (Index j = at * block; j < std::min(store.count, (at + 1) * block); ++j) store.scale(j, m);
  });
}

}  // namespace widemargin
