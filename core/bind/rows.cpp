// Views of rows, and the products that need no loss.
#include <algorithm>
#include <cmath>

#include "../strided.hpp"
#include "../sums.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

template <class T>
using DenseArray = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using FlatArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = FlatArray<std::int32_t>;

template <class T>
RowsView dense(DenseArray<T> x) {
  require(x.shape(0) == 0 || x.shape(1) <= 1 || x.stride(1) == 1, "columns of a dense array must be adjacent");
  Index n = static_cast<Index>(x.shape(0)), d = static_cast<Index>(x.shape(1));
  return {Dense<T>{x.data(), n, d, static_cast<Index>(x.stride(0))}, nb::cast(x), n, d};
}

using AnyTable = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

template <class S>
RowsView strided_of(const AnyTable& x) {
  Index n = static_cast<Index>(x.shape(0)), d = static_cast<Index>(x.shape(1)), bytes = sizeof(S);
  auto step = [&](int axis) { return static_cast<Index>(x.stride(axis)) * bytes; };
  return {Strided{static_cast<const char*>(x.data()), n, d, step(0), step(1), load_rows<S, double>}, nb::cast(x), n, d};
}

RowsView strided(AnyTable x) {
  auto type = x.dtype();
  auto is = [&]<class S>(S) { return type == nb::dtype<S>(); };
  if (is(double{})) return strided_of<double>(x);
  if (is(float{})) return strided_of<float>(x);
  if (is(bool{}) || is(std::uint8_t{})) return strided_of<std::uint8_t>(x);
  if (is(std::int8_t{})) return strided_of<std::int8_t>(x);
  if (is(std::int16_t{})) return strided_of<std::int16_t>(x);
  if (is(std::uint16_t{})) return strided_of<std::uint16_t>(x);
  if (is(std::int32_t{})) return strided_of<std::int32_t>(x);
  if (is(std::uint32_t{})) return strided_of<std::uint32_t>(x);
  if (is(std::int64_t{})) return strided_of<std::int64_t>(x);
  if (is(std::uint64_t{})) return strided_of<std::uint64_t>(x);
  throw std::invalid_argument("no layout reads this type");
}

template <class T>
RowsView sparse(FlatArray<T> x, Indices index, CIndex ptr, Index d) {
  Index n = static_cast<Index>(ptr.size()) - 1;
  return {Csr<T>{x.data(), index.data(), ptr.data(), n, d}, nb::make_tuple(x, index, ptr), n, d};
}

RowsView ones(nb::object, Indices index, CIndex ptr, Index d) {
  Index n = static_cast<Index>(ptr.size()) - 1;
  return {Csr<One>{nullptr, index.data(), ptr.data(), n, d}, nb::make_tuple(index, ptr), n, d};
}

void row_scores(const RowsView& view, CMat W, Mat out, int threads) {
  require(static_cast<Index>(W.shape(0)) == view.d, "W needs one row per column of X");
  require(static_cast<Index>(out.shape(0)) == view.n && out.shape(1) == W.shape(1), "out has the wrong shape");
  nb::gil_scoped_release nogil;
  std::visit([&](const auto& X) { all_scores(X, W.data(), static_cast<int>(W.shape(1)), threads, out.data()); }, view.rows);
}

using Given = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

// what add(X, tree) leaves in a tree of `size` sums
template <class F>
Given summed(const RowsView& view, Index size, F add) {
  Tree tree(static_cast<std::size_t>(size));
  {
    nb::gil_scoped_release nogil;
    std::visit([&](const auto& X) { add(X, tree); }, view.rows);
  }
  return give(tree.take());
}

Given transposed_scores(const RowsView& view, CMat C, Index leaf, int threads) {
  require(static_cast<Index>(C.shape(0)) == view.n, "C needs one row per row of X");
  int K = static_cast<int>(C.shape(1));
  return summed(view, view.d * K, [&](const auto& X, Tree& tree) { all_added(X, C.data(), K, leaf, threads, tree); });
}

Given sums_of_classes(const RowsView& view, CVec y, std::optional<CVec> s, double inverse_weight, int classes, Index leaf,
                      int threads) {
  require(static_cast<Index>(y.size()) == view.n && (!s || s->size() == y.size()), "lengths do not fit");
  auto class_of = [&](Index i) { return classes == 2 ? Index{y.data()[i] > 0} : static_cast<Index>(y.data()[i]); };
  return summed(view, view.d * classes, [&](const auto& X, Tree& tree) {
    class_sums(X, class_of, data(s), inverse_weight, leaf, threads, tree);
  });
}

Given reach(const RowsView& view, CMat C, Index leaf, int threads) {
  require(static_cast<Index>(C.shape(0)) == view.n, "C needs one row per row of X");
  int K = static_cast<int>(C.shape(1));
  return summed(view, view.d * K, [&](const auto& X, Tree& tree) { all_reached(X, C.data(), K, leaf, threads, tree); });
}

// pieces of an array, piece i from ptr[i] to ptr[i + 1], laid one after the other where `to` says
template <class T>
void gather(FlatArray<T> from, CIndex ptr, Indices pieces, CIndex to, nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu> out,
            int threads) {
  constexpr Index step = 1024;
  Index count = static_cast<Index>(pieces.size());
  require(static_cast<Index>(to.size()) == count + 1 && to.data()[count] == static_cast<Index>(out.size()), "out has the wrong length");
  nb::gil_scoped_release nogil;
  Pools::run(threads, (count + step - 1) / step, [&](Index at) {
    for (Index k = at * step; k < std::min(count, (at + 1) * step); ++k) {
      const Index* piece = ptr.data() + pieces.data()[k];
      std::copy(from.data() + piece[0], from.data() + piece[1], out.data() + to.data()[k]);
    }
  });
}

void sqnorms(const RowsView& view, Vec out) {
  require(static_cast<Index>(out.size()) == view.n, "out has the wrong length");
  nb::gil_scoped_release nogil;
  std::visit(
      [&](const auto& X) {
        for (Index i = 0; i < X.n; ++i) out.data()[i] = X.sqnorm(i);
      },
      view.rows);
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<RowsView>(m, "Rows").def_ro("n", &RowsView::n).def_ro("d", &RowsView::d);
  auto x = nb::arg("x").noconvert(), index = nb::arg("indices").noconvert(), ptr = nb::arg("indptr").noconvert();
  m.def("dense", dense<double>, x);
  m.def("dense", dense<float>, x);
  m.def("strided", strided, x, "a table of any real type, whatever its strides");
  m.def("sparse", sparse<double>, x, index, ptr, nb::arg("d"));
  m.def("sparse", sparse<float>, x, index, ptr, nb::arg("d"));
  m.def("sparse", ones, nb::arg("x").none(), index, ptr, nb::arg("d"));
  auto rows = nb::arg("rows");
  m.def("scores", row_scores, rows, nb::arg("W").noconvert(), nb::arg("out").noconvert(), nb::arg("threads") = 1);
  m.def("transposed_scores", transposed_scores, rows, nb::arg("C").noconvert(), nb::arg("leaf") = 1 << 20,
        nb::arg("threads") = 1, "X' C, (d, K) one row after the other");
  m.def("class_sums", sums_of_classes, rows, nb::arg("y").noconvert(), nb::arg("s").noconvert().none(),
        nb::arg("inverse_weight"), nb::arg("classes"), nb::arg("leaf"), nb::arg("threads"),
        "sum of p x over each class, (C, d) one row after the other");
  m.def("reach", reach, rows, nb::arg("C").noconvert(), nb::arg("leaf"), nb::arg("threads"), "sum of |c x|, (d, K)");
  auto from = nb::arg("from_").noconvert(), pieces = nb::arg("pieces").noconvert(), to = nb::arg("to").noconvert();
  auto out = nb::arg("out").noconvert();
  m.def("gather", gather<double>, from, ptr, pieces, to, out, nb::arg("threads") = 1);
  m.def("gather", gather<float>, from, ptr, pieces, to, out, nb::arg("threads") = 1);
  m.def("gather", gather<std::int32_t>, from, ptr, pieces, to, out, nb::arg("threads") = 1);
  m.def("sqnorms", sqnorms, rows, nb::arg("out").noconvert());
}

}  // namespace widemargin
