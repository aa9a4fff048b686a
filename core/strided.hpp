// Numbers of any type and any strides -> float64 or another type, row by row, whatever their order in memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace widemargin {

// out (m, d) in C order.  Columns that are adjacent are read along the row; else in blocks of columns that fill a
// cache line of the output, each column read along its own memory.  Steps in bytes.
template <class S, class T>
void load_rows(const char* x, std::int64_t m, std::int64_t d, std::int64_t row_step, std::int64_t column_step, T* out) {
  using Index = std::int64_t;
  auto at = [=](Index i, Index j) {
    return static_cast<T>(*reinterpret_cast<const S*>(x + i * row_step + j * column_step));
  };
  if (column_step == static_cast<Index>(sizeof(S))) {
    for (Index i = 0; i < m; ++i) {
      const S* row = reinterpret_cast<const S*>(x + i * row_step);
      for (Index j = 0; j < d; ++j) out[i * d + j] = static_cast<T>(row[j]);
    }
    return;
  }
  if (std::abs(column_step) <= std::abs(row_step)) {
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < d; ++j) out[i * d + j] = at(i, j);
    return;
  }
  constexpr Index line = 8;
  Index j = 0;
  for (; j + line <= d; j += line)
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < line; ++k) out[i * d + j + k] = at(i, j + k);
  for (; j < d; ++j)
    for (Index i = 0; i < m; ++i) out[i * d + j] = at(i, j);
}

}  // namespace widemargin
