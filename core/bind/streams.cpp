// Passes whose rates are found on the way: AdaGrad, FTRL-proximal, SAGA.
#include <nanobind/stl/string_view.h>

#include "../adaptive.hpp"
#include "../saga.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

Judge judge_of(std::size_t loss, Heads heads) {
  RowLoss one{};
  if (heads != Heads::softmax) Losses::visit(loss, [&]<class L>(L) { one = row_loss<L>(); });
  return {heads, one};
}

SgdRows rows_of(const RowsView& view, const CVec& y, const std::optional<CVec>& s, const std::optional<CAny>& o,
                double mean_weight, const std::optional<CIndex>& order) {
  require(static_cast<Index>(y.size()) == view.n, "y needs one entry per row");
  Index count = order ? static_cast<Index>(order->size()) : view.n;
  auto inside = [&](Index i) { return i >= 0 && i < view.n; };
  require(!order || std::all_of(order->data(), order->data() + count, inside), "the order names a row that is not there");
  return {y.data(), data(s), data(o), columns_of(o), mean_weight, data(order), count, 0};
}

nb::tuple adaptive(const RowsView& view, std::size_t loss, std::string_view heads, CVec y, std::optional<CVec> s,
                   std::optional<CAny> o, double mean_weight, std::optional<CIndex> order, Mat Z, Mat N, Vec zb, Vec nb_,
                   double eta, double start, double l1, double l2, bool proximal, bool intercept, Index t) {
  int K = static_cast<int>(Z.shape(0));
  bool fits = static_cast<Index>(Z.shape(1)) == view.d && Z.size() == N.size() && N.shape(0) == Z.shape(0);
  require(fits && static_cast<int>(zb.size()) == K && zb.size() == nb_.size(), "the sums have the wrong shape");
  require(eta > 0 && start > 0, "eta and start have to be positive");
  SgdRows rows = rows_of(view, y, s, o, mean_weight, order);
  AdaptiveOptions opt{eta, start, l1, l2, proximal, intercept};
  AdaptiveState st{Z.data(), N.data(), zb.data(), nb_.data(), t};
  Judge judge = judge_of(loss, heads_of(heads));
  {
    nb::gil_scoped_release nogil;
    std::visit([&]<class R>(const R& X) { AdaptivePass<R>(X, K, judge, rows, opt, st).run(); }, view.rows);
  }
  return nb::make_tuple(st.t, st.mistakes, st.updates);
}

Index saga(const RowsView& view, std::size_t loss, std::string_view heads, CVec y, std::optional<CVec> s,
           std::optional<CAny> o, double mean_weight, std::optional<CIndex> order, CVec times, double eta, double l1,
           double l2, bool intercept, Mat W, Vec b, Mat slopes, Mat mean, Vec mean_b) {
  int K = static_cast<int>(W.shape(1));
  bool fits = static_cast<Index>(W.shape(0)) == view.d && mean.shape(0) == W.shape(0) && mean.shape(1) == W.shape(1);
  require(fits && static_cast<Index>(times.size()) == view.d, "W, mean and times need one row per column of X");
  require(static_cast<Index>(slopes.shape(0)) == view.n && static_cast<int>(slopes.shape(1)) == K &&
              static_cast<int>(b.size()) == K && static_cast<int>(mean_b.size()) == K, "slopes or b have the wrong shape");
  SgdRows rows = rows_of(view, y, s, o, mean_weight, order);
  Saga st{times.data(), eta, l1, l2, intercept, W.data(), b.data(), slopes.data(), mean.data(), mean_b.data(),
          static_cast<double>(view.n)};
  Judge judge = judge_of(loss, heads_of(heads));
  {
    nb::gil_scoped_release nogil;
    std::visit([&](const auto& X) { saga_pass(X, K, judge, rows, st); }, view.rows);
  }
  return st.mistakes;
}

// rows in which each column is not 0
void column_counts(const RowsView& view, nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  require(static_cast<Index>(out.size()) == view.d, "one number per column is needed");
  nb::gil_scoped_release nogil;
  std::fill(out.data(), out.data() + view.d, 0.0);
  std::visit(
      [&](const auto& X) {
        for (Index i = 0; i < X.n; ++i) X.each(i, [&](Index j, double x) { out.data()[j] += x != 0; });
      },
      view.rows);
}

}  // namespace

void bind_streams(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("adaptive_pass", adaptive, nb::arg("rows"), nb::arg("loss"), nb::arg("heads"), array("y"), array("s").none(),
        array("o").none(), nb::arg("mean_weight"), array("order").none(), array("Z"), array("N"), array("zb"),
        array("nb"), nb::arg("eta"), nb::arg("start"), nb::arg("l1"), nb::arg("l2"), nb::arg("proximal"),
        nb::arg("intercept"), nb::arg("t"), "(steps so far, mistakes, rows that changed the weights)");
  m.def("saga_pass", saga, nb::arg("rows"), nb::arg("loss"), nb::arg("heads"), array("y"), array("s").none(),
        array("o").none(), nb::arg("mean_weight"), array("order").none(), array("times"), nb::arg("eta"), nb::arg("l1"),
        nb::arg("l2"), nb::arg("intercept"), array("W"), array("b"), array("slopes"), array("mean"), array("mean_b"),
        "mistakes");
  m.def("column_counts", column_counts, nb::arg("rows"), array("out"), "rows in which each column is not 0");
}

}  // namespace widemargin
