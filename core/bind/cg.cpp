// The vector work of conjugate gradients.
#include "../cg.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

template <class... A>
Systems systems(int threads, const Mat& first, const A&... others) {
  require(((others.shape(0) == first.shape(0) && others.shape(1) == first.shape(1)) && ...), "shapes do not fit");
  return Systems(static_cast<Index>(first.shape(0)), static_cast<Index>(first.shape(1)), threads);
}

void curve(Mat p, Mat q, CMat M, CVec l2, Vec pq, Vec pMp, int threads) {
  require(l2.size() == p.shape(0) && pq.size() == p.shape(1) && pMp.size() == p.shape(1), "lengths do not fit");
  auto all = systems(threads, q, p, M);
  nb::gil_scoped_release nogil;
  all.curve(p.data(), q.data(), M.data(), l2.data(), pq.data(), pMp.data());
}

void step(Mat x, Mat r, CMat p, CMat q, CMat M, CVec a, Vec rr, Vec rz, int threads) {
  require(a.size() == x.shape(1) && rr.size() == x.shape(1) && rz.size() == x.shape(1), "lengths do not fit");
  auto all = systems(threads, x, r, p, q, M);
  nb::gil_scoped_release nogil;
  all.step(x.data(), r.data(), p.data(), q.data(), M.data(), a.data(), rr.data(), rz.data());
}

void turn(Mat p, CMat r, CMat M, CVec beta, int threads) {
  require(beta.size() == p.shape(1), "lengths do not fit");
  auto all = systems(threads, p, r, M);
  nb::gil_scoped_release nogil;
  all.turn(p.data(), r.data(), M.data(), beta.data());
}

}  // namespace

void bind_cg(nb::module_& m) {
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("cg_curve", curve, array("p"), array("q"), array("M"), array("l2"), array("pq"), array("pMp"), nb::arg("threads"));
  m.def("cg_step", step, array("x"), array("r"), array("p"), array("q"), array("M"), array("a"), array("rr"),
        array("rz"), nb::arg("threads"));
  m.def("cg_turn", turn, array("p"), array("r"), array("M"), array("beta"), nb::arg("threads"));
}

}  // namespace widemargin
