// Dual coordinate descent by many hands.
#include <nanobind/stl/pair.h>

#include "../dual_rounds.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

void check(const RowsView& view, const CVec& y, const CMat& W, const CVec& b, const CMat& a) {
  Index K = static_cast<Index>(W.shape(1));
  require(static_cast<Index>(W.shape(0)) == view.d && static_cast<Index>(b.size()) == K, "W or b has the wrong shape");
  require(static_cast<Index>(a.shape(0)) == view.n && static_cast<Index>(a.shape(1)) == K, "a has the wrong shape");
  require(static_cast<Index>(y.size()) == view.n, "y needs one entry per row");
}

nb::tuple rounds(const RowsView& view, std::size_t loss, CVec y, std::optional<CVec> s, std::optional<CAny> o,
                 double inverse_weight, CVec norms, CIndex order, Index bucket, int parts, Index count,
                 std::pair<Index, Index> range, Mat W, Vec b, Mat a, double alpha, double bias_sq, int threads) {
  check(view, y, CMat(W), CVec(b), CMat(a));
  Index buckets = static_cast<Index>(order.size());
  require(bucket > 0 && parts > 0 && count > 0 && (buckets - 1) * bucket < view.n, "buckets do not fit");
  require(range.first >= 0 && range.first <= range.second && range.second <= count, "rounds do not fit");
  for (Index k = 0; k < buckets; ++k) require(order.data()[k] >= 0 && order.data()[k] < buckets, "a bucket is out of range");
  DualRounds job{y.data(), data(s), data(o), columns_of(o), inverse_weight, norms.data(), order.data(), buckets, bucket,
                 parts, count, alpha, bias_sq};
  DualPoint at{W.data(), b.data(), a.data()};
  DualTally tally;
  {
    nb::gil_scoped_release nogil;
    Losses::visit(loss, [&]<class L>(L) {
      if constexpr (Convex<L> && L::meta.smooth)
        std::visit([&](const auto& X) {
          tally = dual_rounds<L>(X, static_cast<int>(b.size()), job, at, range.first, range.second, threads);
        }, view.rows);
      else
        throw std::invalid_argument("only smooth convex losses are taken");
    });
  }
  return nb::make_tuple(tally.change, tally.gap, tally.least);
}

}  // namespace

void bind_dual(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("dual_rounds", rounds, nb::arg("rows"), nb::arg("loss"), array("y"), array("s").none(), array("o").none(),
        nb::arg("inverse_weight"), array("sqnorms"), array("order"), nb::arg("bucket"), nb::arg("parts"),
        nb::arg("rounds"), nb::arg("range"), array("W"), array("b"), array("a"), nb::arg("alpha"), nb::arg("bias_sq"),
        nb::arg("threads"), "rounds of a sweep; (largest change of a margin, about the gap met, smallest merge)");
}

}  // namespace widemargin
