// Coordinate descent over rows (dual); small systems.
#include "../cholesky.hpp"
#include "../dual_cd.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

double dual_sweep(const RowsView& view, std::size_t loss, CVec y, std::optional<CVec> s, std::optional<CAny> o,
                  double inverse_weight, std::optional<CIndex> order, CVec norms, Mat W, Vec b, Mat a, double alpha,
                  double bias_sq) {
  int K = static_cast<int>(W.shape(1));
  require(static_cast<Index>(W.shape(0)) == view.d && static_cast<int>(b.size()) == K, "W or b has the wrong shape");
  require(static_cast<Index>(a.shape(0)) == view.n && static_cast<int>(a.shape(1)) == K, "a has the wrong shape");
  DualRows rows{y.data(), data(s), data(o), columns_of(o), inverse_weight, data(order),
                order ? static_cast<Index>(order->size()) : view.n};
  DualState st{W.data(), b.data(), a.data(), norms.data(), 0};
  nb::gil_scoped_release nogil;
  Losses::visit(loss, [&]<class L>(L) {
    if constexpr (Convex<L>)
      std::visit([&](const auto& X) { dual_cd_sweep<L>(X, K, rows, alpha, bias_sq, st); }, view.rows);
    else
      throw std::invalid_argument("only convex losses have a dual");
  });
  return st.change;
}

bool positive_solution(CMat H, CVec g, Vec x) {
  require(H.shape(0) == g.size() && H.shape(1) == g.size() && x.size() == g.size(), "lengths do not fit");
  return solve_positive(H.data(), g.data(), static_cast<Index>(g.size()), x.data());
}

void factored_solution(CMat L, Vec x) {
  require(L.shape(0) == x.size() && L.shape(1) == x.size(), "lengths do not fit");
  solve_factored(L.data(), static_cast<Index>(x.size()), x.data());
}

void mirror_all(nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> H) {
  mirror(H.data(), static_cast<Index>(H.shape(0)), static_cast<Index>(H.shape(1)));
}

}  // namespace

void bind_descent(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("dual_cd_sweep", dual_sweep, nb::arg("rows"), nb::arg("loss"), array("y"), array("s").none(), array("o").none(),
        nb::arg("inverse_weight"), array("order").none(), array("sqnorms"), array("W"), array("b"), array("a"),
        nb::arg("alpha"), nb::arg("bias_sq"));
  m.def("solve_positive", positive_solution, array("H"), array("g"), array("x"), "x = H^-1 g; False if H is not positive definite");
  m.def("solve_factored", factored_solution, array("L"), array("x"), "x <- (L L')^-1 x, in place");
  m.def("mirror", mirror_all, array("H"), "upper triangles to lower ones, in place");
}

}  // namespace widemargin
