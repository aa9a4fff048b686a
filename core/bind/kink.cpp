// Dual descent for losses with one kink.
#include "../kink_cd.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

using Numbers = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// the marks travel as an array, so that a checkpoint holds them
constexpr std::size_t marks_size = sizeof(KinkMarks) / sizeof(double);
static_assert(sizeof(KinkMarks) == marks_size * sizeof(double));

Index descend(const RowsView& view, CVec y, CVec p, CVec h, CVec sqnorms, double alpha, double bias_sq, double keep,
              double drag, Numbers active, Index count, Numbers order, bool shuffle, std::uint64_t seed, double aim,
              Index fewest, Vec w, Vec b, Vec a, Vec marks) {
  auto whole = [&](auto& array) { return static_cast<Index>(array.size()) == view.n; };
  require(whole(y) && whole(p) && whole(h) && whole(sqnorms) && whole(a), "rows need one entry each");
  require(static_cast<Index>(active.size()) >= count && whole(order), "order needs room for every row");
  require(static_cast<Index>(w.size()) == view.d && b.size() == 1 && marks.size() == marks_size, "lengths do not fit");
  KinkRows rows{y.data(), p.data(), h.data(), sqnorms.data(), alpha, bias_sq, keep, drag};
  KinkActive live{active.data(), order.data(), count, !shuffle};
  auto& m = *reinterpret_cast<KinkMarks*>(marks.data());
  nb::gil_scoped_release nogil;
  std::visit(
      [&](const auto& X) {
        kink_sweeps(X, rows, live, seed, KinkLimits{aim, fewest}, w.data(), b.data(), a.data(), m);
      },
      view.rows);
  return live.count;
}

std::vector<double> no_marks() {
  KinkMarks m;
  auto* first = reinterpret_cast<const double*>(&m);
  return {first, first + marks_size};
}

}  // namespace

void bind_kink(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("kink_marks", [] { return give(no_marks()); }, "what sweeps know of themselves before the first");
  m.def("kink_sweeps", descend, nb::arg("rows"), array("y"), array("p"), array("h"), array("sqnorms"), nb::arg("alpha"),
        nb::arg("bias_sq"), nb::arg("keep"), nb::arg("drag"), array("active"), nb::arg("count"), array("order"),
        nb::arg("shuffle"), nb::arg("seed"), nb::arg("aim"), nb::arg("fewest"), array("w"), array("b"),
        array("a"), array("marks"), "the number of rows still active");
}

}  // namespace widemargin
