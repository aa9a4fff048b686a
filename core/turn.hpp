// X' of a sparse X, by counting: every thread counts the columns of its rows, the counts are added up, every thread
// puts its values where they belong.  Within a column rows stay in order, however many threads there are.
// Gustavson 1978.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "pool.hpp"
#include "rows.hpp"

namespace widemargin {

template <class T>
struct Turned {
  T* x;                 // null where no values are stored
  std::int32_t* index;
  Index* ptr;           // d + 1
};

// Rows where parts of about as many values begin; parts + 1 of them.
inline std::vector<Index> even_parts(const Index* ptr, Index n, Index parts) {
  std::vector<Index> cut(parts + 1, n);
  cut[0] = 0;
  for (Index k = 1; k < parts; ++k) cut[k] = std::lower_bound(ptr, ptr + n, ptr[0] + (ptr[n] - ptr[0]) * k / parts) - ptr;
  return cut;
}

template <class T>
void turn(const Csr<T>& X, const Turned<T>& out, int threads) {
  Index parts = std::clamp<Index>(X.nnz() / (4 * X.d + 1), 1, threads);  // counts take at most a quarter of the values' room
  auto cut = even_parts(X.ptr, X.n, parts);
  std::vector<std::vector<Index>> next(parts);
  Pools::run(threads, parts, [&](Index at) {
    next[at].assign(X.d, 0);
    for (Index k = X.ptr[cut[at]], end = X.ptr[cut[at + 1]]; k < end; ++k) ++next[at][X.index[k]];
  });
  Index sum = 0;
  for (Index j = 0; j < X.d; ++j) {
    out.ptr[j] = sum;
    for (auto& counts : next) {
      Index own = counts[j];
      counts[j] = sum;
      sum += own;
    }
  }
  out.ptr[X.d] = sum;
  Pools::run(threads, parts, [&](Index at) {
    for (Index i = cut[at]; i < cut[at + 1]; ++i)
      for (Index k = X.ptr[i]; k < X.ptr[i + 1]; ++k) {
        Index to = next[at][X.index[k]]++;
        out.index[to] = static_cast<std::int32_t>(i);
        if constexpr (!std::is_same_v<T, One>) out.x[to] = X.x[k];
      }
  });
}

}  // namespace widemargin
