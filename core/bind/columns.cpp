// Gathered columns and coordinate descent on them; one pass over scores.
#include "../cd.hpp"
#include "../columns.hpp"
#include "../sums.hpp"
#include "bind.hpp"

#include <nanobind/stl/tuple.h>
#include <tuple>

namespace widemargin {
namespace {

struct Columns {
  AnyColumns store;
  Index n;

  Index count() const {
    return std::visit([](const auto& s) { return s.count; }, store);
  }
  Index nnz() const {
    return std::visit([](const auto& s) { return s.view().nnz(); }, store);
  }
  void fits(std::size_t size) const { require(static_cast<Index>(size) == count(), "one number per column is needed"); }
  void per_row(std::size_t size) const { require(static_cast<Index>(size) == n, "one number per row is needed"); }
};

Columns columns(const RowsView& rows, bool turned) {
  Index n = turned ? rows.d : rows.n;
  return std::visit([n]<class R>(const R&) { return Columns{typename ColumnsOf<R>::type{.n = n}, n}; }, rows.rows);
}

// from rows of X, or from rows of X' where there are such
void gather(Columns& self, const RowsView& rows, CIndex ids, bool turned, int threads) {
  require((turned ? rows.d : rows.n) == self.n, "these columns belong to other rows");
  Index all = turned ? rows.n : rows.d, more = static_cast<Index>(ids.size());
  for (Index k = 0; k < more; ++k) require(ids.data()[k] >= 0 && ids.data()[k] < all, "no such column");
  nb::gil_scoped_release nogil;
  std::visit(
      [&]<class R>(const R& X) {
        auto* store = std::get_if<typename ColumnsOf<R>::type>(&self.store);
        require(store, "these columns are of another type");
        if (turned) store->take(X, ids.data(), more);
        else store->gather(X, ids.data(), more, threads);
      },
      rows.rows);
}

void scale(Columns& self, CVec root, CVec r, Vec g, Vec hess, Vec on_b, int threads) {
  self.per_row(root.size()), self.per_row(r.size());
  self.fits(g.size()), self.fits(hess.size()), self.fits(on_b.size());
  nb::gil_scoped_release nogil;
  Moments moments{root.data(), r.data(), g.data(), hess.data(), on_b.data()};
  std::visit([&](auto& s) { scale_columns(s, moments, self.nnz() > 200'000 ? threads : 1); }, self.store);
}

// out += sum_j c_j x_j
void add_columns(const Columns& self, CVec c, Vec out) {
  self.fits(c.size()), self.per_row(out.size());
  nb::gil_scoped_release nogil;
  std::visit(
      [&](const auto& s) {
        auto X = s.view();
        for (Index j = 0; j < X.n; ++j)
          if (c.data()[j] != 0) X.axpy(j, c.data()[j], out.data());
      },
      self.store);
}

// the intercept's model: kind (0 none, 1 free, 2 penalised), slope, value, l1, l2
nb::tuple descend(const Columns& self, CVec root, CVec g, CVec hess, CVec on_b,
                  std::tuple<int, double, double, double, double> intercept, CVec l1, CVec l2,
                  std::optional<CVec> lower, std::optional<CVec> upper, Vec w, Vec tau, double shift, double tolerance,
                  double work) {
  self.per_row(root.size()), self.per_row(tau.size());
  for (std::size_t size : {g.size(), hess.size(), on_b.size(), l1.size(), l2.size(), w.size()}) self.fits(size);
  if (lower) self.fits(lower->size());
  if (upper) self.fits(upper->size());
  auto [kind, slope, b, l1_b, l2_b] = intercept;
  ColumnModel model{root.data(), g.data(), hess.data(), on_b.data(),
                    {l1.data(), l2.data(), data(lower), data(upper)},
                    {static_cast<InterceptModel::Kind>(kind), slope, b, l1_b, l2_b}};
  ColumnPoint at{w.data(), tau.data(), shift};
  Progress p;
  {
    nb::gil_scoped_release nogil;
    std::visit([&](const auto& s) {
      auto Z = s.scaled();
      p = ColumnDescent(Z, model, at).run(tolerance, work);
    }, self.store);
  }
  return nb::make_tuple(at.shift, p.worst, p.touched, p.done);
}

nb::tuple gram_descent(CMat H, CVec l1, CVec l2, std::optional<CVec> lower, std::optional<CVec> upper, Vec w, Vec r,
                       double tolerance, double work) {
  Index m = static_cast<Index>(w.size());
  require(static_cast<Index>(H.shape(0)) == m && static_cast<Index>(H.shape(1)) == m, "H has the wrong shape");
  for (std::size_t size : {r.size(), l1.size(), l2.size(), lower ? lower->size() : w.size(), upper ? upper->size() : w.size()})
    require(static_cast<Index>(size) == m, "lengths do not fit");
  Progress p;
  {
    nb::gil_scoped_release nogil;
    p = cd_gram(H.data(), m, {l1.data(), l2.data(), data(lower), data(upper)}, w.data(), r.data(), tolerance, work);
  }
  return nb::make_tuple(p.worst, p.touched, p.done);
}

// value and errors of one head at given scores; slopes p y l' and curvature p l'' where asked for
nb::tuple judge_scores(std::size_t loss, CVec y, CVec p, CVec scores, std::optional<Vec> slope, std::optional<Vec> curvature,
                       int threads) {
  Index n = static_cast<Index>(y.size());
  require(p.size() == y.size() && scores.size() == y.size(), "lengths do not fit");
  require((!slope || slope->size() == y.size()) && (!curvature || curvature->size() == y.size()), "lengths do not fit");
  constexpr Index step = 4096;
  Index parts = (n + step - 1) / step;
  std::vector<double> sums(2 * parts, 0.0);
  nb::gil_scoped_release nogil;
  TileFunction judge = tile_function(loss, Heads::ovr);
  Pools::run(threads, parts, [&](Index at) {
    Index lo = at * step, m = std::min(n, lo + step) - lo;
    auto from = [&](auto& array) { return array ? array->data() + lo : nullptr; };
    std::vector<double> room(slope ? 0 : m);
    judge(Tile{m, 1, y.data() + lo, p.data() + lo, scores.data() + lo, from(slope), from(curvature), &sums[2 * at],
               &sums[2 * at + 1], slope ? slope->data() + lo : room.data()});
  });
  double value = 0, errors = 0;
  for (Index at = 0; at < parts; ++at) value += sums[2 * at], errors += sums[2 * at + 1];
  nb::gil_scoped_acquire gil;
  return nb::make_tuple(value, errors);
}

}  // namespace

void bind_columns(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  auto maybe = [](const char* name) { return nb::arg(name).noconvert().none(); };
  nb::class_<Columns>(m, "Columns")
      .def("__init__", [](Columns* self, const RowsView& rows, bool turned) { new (self) Columns(columns(rows, turned)); },
           nb::arg("rows"), nb::arg("turned") = false)
      .def_prop_ro("count", &Columns::count)
      .def_prop_ro("nnz", &Columns::nnz)
      .def("gather", gather, nb::arg("rows"), array("ids"), nb::arg("turned") = false, nb::arg("threads") = 1,
           "appends columns of X from its rows, or from those of X'")
      .def("scale", scale, array("root"), array("r"), array("g"), array("hess"), array("on_b"), nb::arg("threads") = 1)
      .def("add", add_columns, array("c"), array("out"), "out += X c")
      .def("descend", descend, array("root"), array("g"), array("hess"), array("on_b"), nb::arg("intercept"), array("l1"),
           array("l2"), maybe("lower"), maybe("upper"), array("w"), array("tau"), nb::arg("shift"),
           nb::arg("tolerance"), nb::arg("work"), "(shift, worst violation, values touched, whether done)");
  m.def("cd_gram", gram_descent, array("H"), array("l1"), array("l2"), maybe("lower"), maybe("upper"), array("w"),
        array("r"), nb::arg("tolerance"), nb::arg("work"), "(worst violation, values touched, whether done)");
  m.def("judge", judge_scores, nb::arg("loss"), array("y"), array("p"), array("scores"), maybe("slope"),
        maybe("curvature"), nb::arg("threads") = 1, "(value, errors) at these scores");
}

}  // namespace widemargin
