// The registry of losses, and their functions element by element.
#include "../loss/all.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::list points(const std::array<double, 2>& at) {
  nb::list out;
  for (double z : at)
    if (z == z) out.append(z);
  return out;
}

nb::list registry() {
  nb::list all;
  Losses::each([&]<class L>(L) {
    const LossMeta& m = L::meta;
    nb::dict d;
    d["name"] = m.name, d["tex"] = m.tex, d["reference"] = m.reference, d["summary"] = m.summary;
    d["curvature"] = m.curvature, d["bound_scale"] = m.bound_scale;
    d["convex"] = m.convex, d["smooth"] = m.smooth, d["piecewise_linear"] = m.piecewise_linear;
    d["kinks"] = points(m.kinks), d["joints"] = points(m.joints);
    d["dual_domain"] = nb::make_tuple(m.dual_lo, m.dual_hi);
    d["threshold"] = m.threshold, d["link"] = m.link;
    all.append(d);
  });
  return all;
}

enum class What { value, d1, d2, conjugate, probability };

template <class L, What what, class T>
T one(T z) {
  if constexpr (what == What::value) return L::value(z);  // carries NaN itself: a diverged fit must show
  if (std::isnan(z)) return z;
  else if constexpr (what == What::d1) return L::d1(z);
  else if constexpr (what == What::d2) return L::d2(z);
  else if constexpr (what == What::conjugate && Convex<L>) return L::conjugate(z);
  else if constexpr (what == What::probability && HasLink<L>) return L::probability(z);
  else throw std::invalid_argument("this loss has no such function");
}

MapFunction kernel(const LossKernels& of, What what) {
  switch (what) {
    case What::value: return of.value;
    case What::d1: return of.d1;
    case What::d2: return of.d2;
    case What::conjugate: return of.conjugate;
    default: return of.probability;
  }
}

template <What what>
void fast_map(std::size_t loss, Flat<const double> z, Flat<double> out) {
  require(loss < Losses::size && out.size() == z.size(), "no such loss, or no room for its values");
  MapFunction map = kernel(current_level.losses[loss], what);
  require(map, "this loss has no such function");
  nb::gil_scoped_release nogil;
  map(z.data(), static_cast<Index>(z.size()), out.data());
}

template <What what, class T>
void map(std::size_t loss, Flat<const T> z, Flat<T> out) {
  Losses::visit(loss, [&]<class L>(L) {
    for (std::size_t i = 0; i < z.size(); ++i) out.data()[i] = one<L, what>(z.data()[i]);
  });
}

template <class T>
void interval(std::size_t loss, Flat<const T> z, Flat<T> lo, Flat<T> hi) {
  if constexpr (std::is_same_v<T, double>) fast_map<What::d1>(loss, z, lo);
  else map<What::d1>(loss, z, lo);
  Losses::visit(loss, [&]<class L>(L) {
    for (std::size_t i = 0; i < z.size(); ++i) hi.data()[i] = right_slope<L>(z.data()[i], lo.data()[i]);
  });
}

void prox(std::size_t loss, CVec c, CVec q, Vec out) {
  Losses::visit(loss, [&]<class L>(L) {
    if constexpr (Convex<L>)
      for (std::size_t i = 0; i < c.size(); ++i) {
        double sum = c.data()[i] + q.data()[i];
        out.data()[i] = std::isnan(sum) ? sum : L::prox(c.data()[i], q.data()[i]);
      }
    else
      throw std::invalid_argument("only convex losses have a prox");
  });
}

template <class T>
void bind_type(nb::module_& m) {
  auto z = nb::arg("z").noconvert(), out = nb::arg("out").noconvert();
  auto bind = [&]<What what>(const char* name, std::integral_constant<What, what>) {
    if constexpr (std::is_same_v<T, double>) m.def(name, fast_map<what>, nb::arg("loss"), z, out);
    else m.def(name, map<what, T>, nb::arg("loss"), z, out);
  };
  bind("loss_value", std::integral_constant<What, What::value>{});
  bind("loss_d1", std::integral_constant<What, What::d1>{});
  bind("loss_d2", std::integral_constant<What, What::d2>{});
  bind("loss_conjugate", std::integral_constant<What, What::conjugate>{});
  bind("loss_probability", std::integral_constant<What, What::probability>{});
  m.def("loss_subdifferential", interval<T>, nb::arg("loss"), z, nb::arg("lo").noconvert(), nb::arg("hi").noconvert());
}

}  // namespace

void bind_losses(nb::module_& m) {
  m.def("losses", registry);
  bind_type<double>(m);
  bind_type<float>(m);
  m.def("loss_prox", prox, nb::arg("loss"), nb::arg("c").noconvert(), nb::arg("q").noconvert(), nb::arg("out").noconvert());
}

}  // namespace widemargin
