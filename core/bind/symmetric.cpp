// Symmetric products and factors.
#include "../symmetric.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

using Any = nb::ndarray<nb::ndim<2>, nb::device::cpu, nb::ro>;

template <class E, class T>
void add(const Any& A, const Mat& C, int threads) {
  Index n = static_cast<Index>(C.shape(0));
  SymmetricProduct<E>(C.data(), n, n, threads)
      .add(static_cast<const T*>(A.data()), static_cast<Index>(A.shape(1)), A.stride(0), A.stride(1), 1.0);
}

// both triangles of C += A A'
void add_symmetric(const Any& A, Mat C, bool rough, int threads) {
  Index n = static_cast<Index>(C.shape(0));
  require(C.shape(1) == C.shape(0) && static_cast<Index>(A.shape(0)) == n, "C needs one row and column per row of A");
  bool wide = A.dtype() == nb::dtype<double>();
  require(wide || A.dtype() == nb::dtype<float>(), "A is neither float64 nor float32");
  nb::gil_scoped_release nogil;
  auto run = rough ? (wide ? add<float, double> : add<float, float>) : (wide ? add<double, double> : add<double, float>);
  run(A, C, threads);
  mirror_lower(C.data(), n);
}

bool factor(Mat H, int threads) {
  require(H.shape(0) == H.shape(1), "H is not square");
  nb::gil_scoped_release nogil;
  return factor_symmetric(H.data(), static_cast<Index>(H.shape(0)), threads);
}

}  // namespace

void bind_symmetric(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("add_symmetric", add_symmetric, array("A"), array("C"), nb::arg("rough"), nb::arg("threads"),
        "C += A A'; rough: from products in single precision");
  m.def("factor_symmetric", factor, array("H"), nb::arg("threads"),
        "the lower triangle of H <- L, H = L L'; what is above is scratch; False if H is not positive definite");
}

}  // namespace widemargin
