// Stochastic passes: the loss, the heads and the layout chosen once, outside the loop over rows.
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "../plain_pass.hpp"
#include "../sgd.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

using StepArray = nb::ndarray<nb::numpy, Index, nb::ndim<1>>;

struct Pass {
  std::size_t loss;
  Heads heads;
  int K;
  const SgdRows& rows;
  const SgdOptions& opt;
  SgdState& st;
  Steps* steps;
  const CVec& eta;

  template <class R>
  void operator()(const R& X) const {
    bool constant = eta.size() == 1;
    if (K == 1 && heads == Heads::ovr && plain(opt))
      return plain_pass(PlainRun<R>{X, loss, rows, opt, st, steps, eta.data(), constant});
    RowLoss one{};
    if (heads != Heads::softmax) Losses::visit(loss, [&]<class L>(L) { one = row_loss<L>(); });
    SgdPass<R>(X, K, Judge{heads, one}, rows, opt, st, steps).run(eta.data(), constant);
  }
};

nb::tuple run_pass(const RowsView& view, std::size_t loss, std::string_view heads, CVec y, std::optional<CVec> s,
                   std::optional<CAny> o, double mean_weight, std::optional<CIndex> order, Index first, Mat W, Vec b,
                   std::optional<Mat> sum_W, std::optional<Vec> sum_b, std::optional<Mat> pocket_W,
                   std::optional<Vec> pocket_b, CVec eta, double l1, double l2, bool implicit, bool intercept,
                   double intercept_rate, Index batch, Index average_from, Index t, Index run, Index pocket_run,
                   Steps* steps) {
  int K = static_cast<int>(W.shape(1));
  SgdOptions opt{l1, l2, implicit, intercept, intercept_rate, batch, average_from, pocket_W.has_value()};
  SgdState st{W.data(), b.data(), data(sum_W), data(sum_b), data(pocket_W), data(pocket_b), t};
  st.run = run, st.pocket_run = pocket_run;
  Index count = order ? static_cast<Index>(order->size()) : view.n;
  SgdRows rows{y.data(), data(s), data(o), columns_of(o), mean_weight, data(order), count, first};
  require(static_cast<Index>(W.shape(0)) == view.d && static_cast<int>(b.size()) == K, "W or b has the wrong shape");
  require(static_cast<Index>(y.size()) == view.n, "y needs one entry per row");
  require(batch >= 1 && (eta.size() == 1 || static_cast<Index>(eta.size()) * batch >= count), "too few step sizes");
  auto inside = [&](Index i) { return i >= 0 && i < view.n; };
  require(!order || std::all_of(order->data(), order->data() + count, inside), "the order names a row that is not there");
  require(average_from < 0 || (sum_W && sum_b), "averaging needs its sums");
  {
    nb::gil_scoped_release nogil;
    std::visit(Pass{loss, heads_of(heads), K, rows, opt, st, steps, eta}, view.rows);
  }
  return nb::make_tuple(st.t, st.averaged, st.mistakes, st.updates, st.run, st.pocket_run);
}

}  // namespace

void bind_sgd(nb::module_& m) {
  nb::class_<Steps>(m, "Steps")
      .def(nb::init<std::size_t, bool>(), nb::arg("capacity"), nb::arg("updates_only"))
      .def_ro("stride", &Steps::stride)
      .def("arrays", [](const Steps& s) {
        return nb::make_tuple(give(s.time), give(s.row), give(s.before), give(s.after), give(s.size));
      });
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("sgd_pass", run_pass, nb::arg("rows"), nb::arg("loss"), nb::arg("heads"), array("y"), array("s").none(),
        array("o").none(), nb::arg("mean_weight"), array("order").none(), nb::arg("first"), array("W"), array("b"),
        array("sum_W").none(), array("sum_b").none(), array("pocket_W").none(), array("pocket_b").none(), array("eta"),
        nb::arg("l1"), nb::arg("l2"), nb::arg("implicit"), nb::arg("intercept"), nb::arg("intercept_rate"),
        nb::arg("batch"), nb::arg("average_from"), nb::arg("t"), nb::arg("run"), nb::arg("pocket_run"),
        nb::arg("steps").none());
}

}  // namespace widemargin
