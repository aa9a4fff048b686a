// Stochastic passes: the loss, the heads and the layout chosen once, outside the loop over rows.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "../epochs.hpp"
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
    if (K == 1 && heads == Heads::ovr && plain(loss, opt))
      return plain_pass(PlainRun<R>{X, loss, rows, opt, st, steps, eta.data(), constant});
    SgdPass<R>(X, K, Judge{heads, row_loss(loss, 0)}, rows, opt, st, steps).run(eta.data(), constant);
  }
};

nb::tuple run_pass(const RowsView& view, std::size_t loss, std::string_view heads, CVec y, std::optional<CVec> s,
                   std::optional<CAny> o, double mean_weight, std::optional<CIndex> order, Index first, Mat W, Vec b,
                   std::optional<Mat> sum_W, std::optional<Vec> sum_b, std::optional<Mat> pocket_W,
                   std::optional<Vec> pocket_b, CVec eta, double l1, double l2, bool implicit, bool intercept,
                   double intercept_rate, Index batch, Index average_from, Index t, Index run, Index pocket_run,
                   Steps* steps) {
  int K = static_cast<int>(W.shape(1));
  SgdOptions opt{l1, l2, implicit, intercept, intercept_rate, batch, average_from, pocket_W.has_value(), Passive::no};
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

// every so often, for Ctrl-C; or after every pass, for who listens
std::function<void(double)> told(const nb::object& listener, Index rows) {
  return [&listener, rows, since = Index{0}](double value) mutable {
    constexpr Index long_enough = 200'000;
    if (listener.is_none() && (since += rows) < long_enough) return;
    since = 0;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!listener.is_none()) listener(value);
  };
}

struct EpochOptions {
  SgdOptions pass;
  Epochs plan;
};

nb::tuple run_epochs(const EpochOptions& opt, const RowsView& view, std::size_t loss, double epsilon, CVec y,
                     std::optional<CVec> s, std::optional<CIndex> held, Vec W, Vec b, std::optional<Vec> sum_W,
                     std::optional<Vec> sum_b, Index t, std::uint32_t seed, nb::object listener) {
  require(static_cast<Index>(W.size()) == view.d && b.size() == 1, "W or b has the wrong shape");
  require(static_cast<Index>(y.size()) == view.n && (!s || s->size() == y.size()), "y and s need one entry per row");
  require(opt.pass.average_from < 0 || (sum_W && sum_b), "averaging needs its sums");
  SgdState st{W.data(), b.data(), data(sum_W), data(sum_b), nullptr, nullptr, t};
  SgdRows rows{y.data(), data(s), nullptr, 1, 1.0, nullptr, view.n, 0};
  Epochs plan = opt.plan;
  plan.seed = seed;
  if (held) plan.held.assign(held->data(), held->data() + held->size());
  for (Index i : plan.held) require(i >= 0 && i < view.n, "a row that is held out is not there");
  std::vector<double> paid(opt.pass.cumulative ? view.d : 0);
  st.paid = paid.data();
  auto tell = told(listener, view.n);
  bool finite = true;
  Index passes = 0;
  {
    nb::gil_scoped_release nogil;
    std::visit([&](const auto& X) {
      passes = EpochRun(X, loss, row_loss(loss, epsilon), rows, opt.pass, st, std::move(plan)).run(tell, finite);
    }, view.rows);
  }
  return nb::make_tuple(passes, st.averaged, finite);
}

void bind_epochs(nb::module_& m) {
  nb::class_<EpochOptions>(m, "Epochs")
      .def("__init__",
           [](EpochOptions* made, double l1, double l2, bool intercept, double intercept_rate, Index average_from,
              int passive, bool watch, double watch_l1, double watch_l2, Index most, double tol, Index patience, std::string schedule,
              double eta, double alpha, double power, bool shuffled) {
             SgdOptions pass{.l1 = l1, .l2 = l2, .intercept = intercept, .intercept_rate = intercept_rate,
                             .average_from = average_from, .passive = static_cast<Passive>(passive),
                             .cumulative = l1 > 0, .watch = watch, .watch_l1 = watch_l1,
                             .watch_l2 = watch_l2, .steepest = 1e12, .least_shrink = 0};
             bool adaptive = schedule == "adaptive";
             auto kind = schedule == "optimal" ? Schedule::optimal : schedule == "inverse" ? Schedule::inverse : Schedule::constant;
             Epochs plan{most, tol, patience, kind, eta, alpha, power, adaptive, shuffled, 0, {}};
             new (made) EpochOptions{pass, plan};
           },
           nb::kw_only(), nb::arg("l1"), nb::arg("l2"), nb::arg("intercept"), nb::arg("intercept_rate"),
           nb::arg("average_from"), nb::arg("passive"), nb::arg("watch"), nb::arg("watch_l1"), nb::arg("watch_l2"),
           nb::arg("most"), nb::arg("tol"), nb::arg("patience"), nb::arg("schedule"), nb::arg("eta"), nb::arg("alpha"), nb::arg("power"),
           nb::arg("shuffled"));
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("sgd_epochs", run_epochs, nb::arg("options"), nb::arg("rows"), nb::arg("loss"), nb::arg("epsilon"), array("y"),
        array("s").none(), array("held").none(), array("W"), array("b"), array("sum_W").none(), array("sum_b").none(),
        nb::arg("t"), nb::arg("seed"), nb::arg("listener").none(),
        "(passes, iterates averaged, whether all stayed finite)");
}

}  // namespace

void bind_sgd(nb::module_& m) {
  bind_epochs(m);
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
