// Sums over rows whose scores are known: dual points, bounds, shifts of the intercept.
#include <nanobind/stl/string_view.h>

#include "../duals.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

using Given = std::optional<CVec>;
using Offsets = std::optional<CAny>;

RowFacts facts(std::string_view heads, int K, const CVec& y, const Given& s, const Offsets& o, double inverse_weight) {
  Index n = static_cast<Index>(y.size());
  require((!s || s->size() == y.size()) && (!o || static_cast<Index>(o->shape(0)) == n), "s, o need one entry per row");
  return {n, K, heads_of(heads), y.data(), data(s), data(o), columns_of(o), inverse_weight};
}

void check(const RowFacts& rows, std::size_t count, int columns) {
  require(static_cast<Index>(count) == rows.n && columns == rows.K, "one entry per row and head is needed");
}

void points(std::size_t loss, std::string_view heads, CVec y, CMat scores, Mat out, int threads) {
  RowFacts rows = facts(heads, static_cast<int>(scores.shape(1)), y, {}, {}, 1);
  check(rows, scores.shape(0), rows.K);
  check(rows, out.shape(0), static_cast<int>(out.shape(1)));
  nb::gil_scoped_release nogil;
  dual_points(rows, current_level.losses[loss], scores.data(), out.data(), threads);
}

void sums(std::size_t loss, std::string_view heads, CVec y, Given s, Offsets o, double inverse_weight, CMat a, Mat out,
          int threads) {
  RowFacts rows = facts(heads, static_cast<int>(a.shape(1)), y, s, o, inverse_weight);
  check(rows, a.shape(0), rows.K);
  require(out.shape(0) == 4 && static_cast<int>(out.shape(1)) == rows.K, "out is (4, K)");
  require(loss < Losses::size && current_level.losses[loss].conjugate, "only convex losses have a dual");
  nb::gil_scoped_release nogil;
  dual_sums(rows, current_level.losses[loss], a.data(), out.data(), threads);
}

void mix(std::string_view heads, CVec y, CVec theta, CVec side, Mat a, int threads) {
  RowFacts rows = facts(heads, static_cast<int>(a.shape(1)), y, {}, {}, 1);
  check(rows, a.shape(0), static_cast<int>(theta.size()));
  check(rows, a.shape(0), static_cast<int>(side.size()));
  nb::gil_scoped_release nogil;
  mix_duals(rows, theta.data(), side.data(), a.data(), threads);
}

void signs(std::string_view heads, CVec y, Given s, double inverse_weight, CMat a, Mat out, int threads) {
  RowFacts rows = facts(heads, static_cast<int>(a.shape(1)), y, s, {}, inverse_weight);
  check(rows, a.shape(0), rows.K);
  check(rows, out.shape(0), static_cast<int>(out.shape(1)));
  nb::gil_scoped_release nogil;
  signed_duals(rows, a.data(), out.data(), threads);
}

nb::tuple shifted(std::size_t loss, CVec y, Given s, double inverse_weight, std::optional<CMat> scores, int heads, int k,
                  double b, int threads) {
  RowFacts rows = facts("ovr", heads, y, s, {}, inverse_weight);
  int columns = scores ? static_cast<int>(scores->shape(1)) : 1;
  require(!scores || static_cast<Index>(scores->shape(0)) == rows.n, "one entry per row is needed");
  std::array<double, 5> found;
  {
    nb::gil_scoped_release nogil;
    found = shifted_sums(rows, current_level.losses[loss], scores ? scores->data() : nullptr, columns, k, b, threads);
  }
  return nb::make_tuple(found[0], found[1], found[2], found[3], found[4]);
}

void masses(CVec y, Given s, Offsets o, double inverse_weight, Mat out) {
  RowFacts rows = facts("ovr", 1, y, s, o, inverse_weight);
  require(static_cast<int>(out.shape(1)) == 1 + (o ? rows.offset_columns : 0), "out is (classes, 1 + columns of o)");
  nb::gil_scoped_release nogil;
  class_facts(rows, static_cast<int>(out.shape(0)), out.data());
}

}  // namespace

void bind_duals(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  auto plain = [](const char* name) { return nb::arg(name); };
  auto loss = plain("loss"), heads = plain("heads"), weight = plain("inverse_weight"), threads = plain("threads");
  auto y = array("y");
  auto s = array("s").none(), o = array("o").none();
  m.def("dual_points", points, loss, heads, y, array("scores"), array("out"), threads, "a = -l'(z); softmax: probabilities");
  m.def("dual_sums", sums, loss, heads, y, s, o, weight, array("a"), array("out"), threads,
        "T, sum p a y, sum |p a y|, sum p a y o per column, (4, K)");
  m.def("mix_duals", mix, heads, y, array("theta"), array("side"), array("a"), threads, "a <- (1 - theta) a + theta target");
  m.def("signed_duals", signs, heads, y, s, weight, array("a"), array("out"), threads, "p a y; softmax: p (own - a)");
  m.def("shifted_sums", shifted, loss, y, s, weight, array("scores").none(), nb::arg("heads"), nb::arg("k"), nb::arg("b"),
        threads, "sum p l, sum p l' y, sum p l'', sum |p l'|, sum of p where z <= 0, at scores + b");
  m.def("class_facts", masses, y, s, o, weight, array("out"), "p, and p o, summed over each class");
}

}  // namespace widemargin
