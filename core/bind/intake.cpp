// What is checked at the door, in one pass each, and what is turned there: indices, values, labels, X'.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "../strided.hpp"
#include "../tiles.hpp"
#include "../turn.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr Index portion = Index{1} << 18;  // values that a thread takes at a time

// What rows lo ... hi - 1 show: the first entry that is not finite, else the largest |x| and its column.
struct Bad {
  Index row = -1, column = -1;
  double largest = 0;
  Index largest_column = -1;
};

template <class R>
void look_closer(const R& X, Index lo, Index hi, Bad& bad) {
  for (Index i = lo; i < hi && bad.row < 0; ++i)
    X.each(i, [&](Index j, double x) {
      if (bad.row < 0 && !std::isfinite(x)) bad.row = i, bad.column = j;
      if (std::abs(x) > bad.largest) bad.largest = std::abs(x), bad.largest_column = j;
    });
}

template <class R>
Bad scan(const R& X, Index lo, Index hi, Room& room) {
  Bad bad;
  if constexpr (DenseRows<R>) {
    const auto& kernels = dense_kernels<typename R::Value>();
    Index step = X.tile_stride() == X.d ? std::max<Index>(1, 4096 / (X.d + 1)) : 1;
    for (Index i = lo; i < hi && bad.row < 0; i += step) {
      Index m = std::min(step, hi - i);
      double top = kernels.extreme(X.tile(i, i + m, room), (m - 1) * X.tile_stride() + X.d);
      if (!(top <= bad.largest)) look_closer(X, i, i + m, bad);
    }
  } else if constexpr (std::is_same_v<R, Csr<One>>) {
    for (Index i = lo; i < hi && bad.largest == 0; ++i) look_closer(X, i, i + 1, bad);
  } else {
    const auto& kernels = dense_kernels<std::remove_cvref_t<decltype(*X.x)>>();
    for (Index i = lo; i < hi && bad.row < 0; ++i) {
      double top = kernels.extreme(X.x + X.ptr[i], X.count(i));
      if (!(top <= bad.largest)) look_closer(X, i, i + 1, bad);
    }
  }
  return bad;
}

nb::tuple scan_rows(const RowsView& view, int threads) {
  Bad all;
  {
    nb::gil_scoped_release nogil;
    std::visit(
        [&](const auto& X) {
          Index step = std::max<Index>(1, portion / (X.nnz() / std::max<Index>(1, X.n) + 1));
          std::vector<Bad> found((X.n + step - 1) / step);
          Pools::run(threads, static_cast<Index>(found.size()), [&](Index at) {
            Room room;
            found[at] = scan(X, at * step, std::min(X.n, (at + 1) * step), room);
          });
          for (auto& one : found) {
            if (one.row >= 0) all.row = one.row, all.column = one.column;
            if (one.row >= 0) break;
            if (one.largest > all.largest) all.largest = one.largest, all.largest_column = one.largest_column;
          }
        },
        view.rows);
  }
  return nb::make_tuple(all.row, all.column, all.largest, all.largest_column);
}

// whether all values are 1
template <class T>
bool all_ones(Flat<T> x, int threads) {
  nb::gil_scoped_release nogil;
  Index size = static_cast<Index>(x.size());
  const T* v = x.data();
  std::atomic<bool> ones{size > 0 && v[0] == 1 && v[size - 1] == 1};
  Pools::run(threads, (size + portion - 1) / portion, [&](Index at) {
    if (!ones) return;
    bool other = false;
    for (Index k = at * portion, end = std::min(size, k + portion); k < end; ++k) other |= v[k] != 1;
    if (other) ones = false;
  });
  return ones;
}

// the first entry where indptr falls, or -1
template <class I>
Index falls(Flat<I> ptr) {
  const I* p = ptr.data();
  for (Index k = 1; k < static_cast<Index>(ptr.size()); ++k)
    if (p[k] < p[k - 1]) return k;
  return -1;
}

// (position of the first index outside 0 ... d - 1 or -1, whether every row's columns rise); indptr is sound.
// Narrow copies are made on the way where `narrow` is given.
template <class I>
nb::tuple check_indices(Flat<I> index, CIndex ptr, Index d, std::optional<Out<std::int32_t>> narrow, int threads) {
  Index n = static_cast<Index>(ptr.size()) - 1, end = ptr.data()[n];
  require(static_cast<Index>(index.size()) >= end, "indices are too few");
  require(!narrow || static_cast<Index>(narrow->size()) >= end, "narrow is too short");
  Index step = std::max<Index>(1, portion / (end / std::max<Index>(1, n) + 1)), parts = (n + step - 1) / step;
  std::vector<Index> wrong(parts, -1);
  std::vector<char> ordered(parts, 1);
  Index first = -1;
  bool rising = true;
  {
    nb::gil_scoped_release nogil;
    using U = std::make_unsigned_t<I>;
    const I* c = index.data();
    std::int32_t* to = data(narrow);
    Pools::run(threads, parts, [&](Index at) {
      Index lo = at * step, hi = std::min(n, lo + step), from = ptr.data()[lo], until = ptr.data()[hi];
      bool outside = false, falling = false;
      for (Index k = from; k < until; ++k) outside |= static_cast<U>(c[k]) >= static_cast<U>(d);
      for (Index i = lo; i < hi; ++i)
        for (Index k = ptr.data()[i] + 1; k < ptr.data()[i + 1]; ++k) falling |= c[k] <= c[k - 1];
      if (to)
        for (Index k = from; k < until; ++k) to[k] = static_cast<std::int32_t>(c[k]);
      ordered[at] = !falling;
      for (Index k = from; outside && k < until && wrong[at] < 0; ++k)
        if (static_cast<U>(c[k]) >= static_cast<U>(d)) wrong[at] = k;
    });
    for (Index k : wrong)
      if (first < 0) first = k;
    for (char o : ordered) rising = rising && o;
  }
  return nb::make_tuple(first, rising);
}

// whether no row names a column twice; rows need not be sorted
bool unique_columns(Flat<std::int32_t> index, CIndex ptr, Index d) {
  nb::gil_scoped_release nogil;
  std::vector<std::int32_t> seen(d, -1);
  for (Index i = 0; i + 1 < static_cast<Index>(ptr.size()); ++i)
    for (Index k = ptr.data()[i]; k < ptr.data()[i + 1]; ++k) {
      std::int32_t& last = seen[index.data()[k]];
      if (last == static_cast<std::int32_t>(i)) return false;
      last = static_cast<std::int32_t>(i);
    }
  return true;
}

template <class T>
void turned(Flat<T> x, Flat<std::int32_t> index, CIndex ptr, Index d, Out<T> to, Out<std::int32_t> to_index,
            Out<Index> to_ptr, int threads) {
  Index n = static_cast<Index>(ptr.size()) - 1, nnz = ptr.data()[n] - ptr.data()[0];
  require(static_cast<Index>(to_ptr.size()) == d + 1 && static_cast<Index>(to_index.size()) == nnz &&
              static_cast<Index>(to.size()) == nnz, "out has the wrong length");
  nb::gil_scoped_release nogil;
  turn(Csr<T>{x.data(), index.data(), ptr.data(), n, d}, Turned<T>{to.data(), to_index.data(), to_ptr.data()}, threads);
}

void turned_ones(nb::object, Flat<std::int32_t> index, CIndex ptr, Index d, nb::object, Out<std::int32_t> to_index,
                 Out<Index> to_ptr, int threads) {
  Index n = static_cast<Index>(ptr.size()) - 1;
  require(static_cast<Index>(to_ptr.size()) == d + 1 && static_cast<Index>(to_index.size()) == ptr.data()[n] - ptr.data()[0],
          "out has the wrong length");
  nb::gil_scoped_release nogil;
  turn(Csr<One>{nullptr, index.data(), ptr.data(), n, d}, Turned<One>{nullptr, to_index.data(), to_ptr.data()}, threads);
}

// any strides -> C order
template <class T>
void copied(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> x, nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu> out,
            int threads) {
  require(x.shape(0) == out.shape(0) && x.shape(1) == out.shape(1), "out has the wrong shape");
  Index n = static_cast<Index>(x.shape(0)), d = static_cast<Index>(x.shape(1)), bytes = sizeof(T);
  Index step = std::max<Index>(64, portion / (d + 1)), down = x.stride(0) * bytes, across = x.stride(1) * bytes;
  nb::gil_scoped_release nogil;
  Pools::run(threads, (n + step - 1) / step, [&](Index at) {
    Index lo = at * step, m = std::min(n, lo + step) - lo;
    load_rows<T, T>(reinterpret_cast<const char*>(x.data()) + lo * down, m, d, down, across, out.data() + lo * d);
  });
}

// Labels of which there are two, the first and that of the row returned: y = -1/+1 is written.  0: there are not two.
template <class T>
Index two_labels(Flat<T> given, Vec y, int threads) {
  require(given.size() == y.size(), "y has the wrong length");
  const T* v = given.data();
  Index n = static_cast<Index>(given.size()), other = 0;
  nb::gil_scoped_release nogil;
  while (other < n && v[other] == v[0]) ++other;
  if (other == n) return 0;
  T first = v[0], second = v[other];
  double up = second > first ? 1.0 : -1.0;
  std::atomic<bool> strange{false};
  Pools::run(threads, (n + portion - 1) / portion, [&](Index at) {
    bool third = false;
    for (Index i = at * portion, end = std::min(n, i + portion); i < end; ++i) {
      third |= (v[i] != first) & (v[i] != second);
      y.data()[i] = v[i] == first ? -up : up;
    }
    if (third) strange = true;
  });
  return strange ? 0 : other;
}

}  // namespace

void bind_intake(nb::module_& m) {
  auto threads = nb::arg("threads") = 1;
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("scan", scan_rows, nb::arg("rows"), threads,
        "(row, column) of the first entry that is not finite or -1, largest |x| and its column");
  m.def("all_ones", all_ones<double>, array("x"), threads);
  m.def("all_ones", all_ones<float>, array("x"), threads);
  m.def("falls", falls<std::int32_t>, array("indptr"), "the first entry where indptr falls, or -1");
  m.def("falls", falls<std::int64_t>, array("indptr"));
  auto indices = array("indices"), ptr = array("indptr");
  m.def("check_indices", check_indices<std::int32_t>, indices, ptr, nb::arg("d"), array("narrow").none(), threads,
        "(where the first index out of range is or -1, whether every row's columns rise)");
  m.def("check_indices", check_indices<std::int64_t>, indices, ptr, nb::arg("d"), array("narrow").none(), threads);
  m.def("unique_columns", unique_columns, indices, ptr, nb::arg("d"), "no row names a column twice");
  auto to_indices = array("to_indices"), to_ptr = array("to_indptr");
  m.def("turn", turned<double>, array("x"), indices, ptr, nb::arg("d"), array("to"), to_indices, to_ptr, threads,
        "the columns of CSR rows, one after the other");
  m.def("turn", turned<float>, array("x"), indices, ptr, nb::arg("d"), array("to"), to_indices, to_ptr, threads);
  m.def("turn", turned_ones, nb::arg("x").none(), indices, ptr, nb::arg("d"), nb::arg("to").none(), to_indices, to_ptr, threads);
  m.def("copy", copied<double>, array("x"), array("out"), threads, "any strides to C order");
  m.def("copy", copied<float>, array("x"), array("out"), threads);
  auto two = [&]<class T>(T) {
    m.def("two_labels", two_labels<T>, array("given"), array("y"), threads,
          "where the other of two labels is first met, y written; 0 where there are not two");
  };
  two(double{}), two(float{}), two(std::int64_t{}), two(std::int32_t{}), two(std::int8_t{}), two(std::uint8_t{});
}

}  // namespace widemargin
