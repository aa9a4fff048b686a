// The registry of penalties, and their functions on vectors.
#include "../penalty/all.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

// What is true at one value of the parameter.  The shares, where there are any, say more than the family does.
struct Facts {
  bool convex, norm, separable, smooth;
  Shares shares;
};

template <class P>
Facts facts_of(double parameter) {
  const PenaltyMeta& m = P::meta;
  Facts f{m.convex, m.norm, m.separable, m.smooth, {}};
  if constexpr (requires { P::convex(parameter); }) f.convex = P::convex(parameter);
  if constexpr (requires { P::separable(parameter); }) f.separable = P::separable(parameter);
  if constexpr (requires { P::shares(parameter); }) f.shares = P::shares(parameter);
  f.norm = f.norm && f.convex;
  if (auto [l1, l2] = f.shares; !std::isnan(l1)) f.norm = l1 == 1 && l2 == 0, f.separable = true, f.smooth = l1 == 0;
  return f;
}

nb::list registry() {
  nb::list all;
  Penalties::each([&]<class P>(P) {
    const PenaltyMeta& m = P::meta;
    nb::dict d;
    d["name"] = m.name, d["tex"] = m.tex, d["reference"] = m.reference, d["summary"] = m.summary;
    d["parameter"] = m.parameter, d["standard"] = m.standard, d["low"] = m.low, d["high"] = m.high;
    d["has_conjugate"] = requires(In v) { P::conjugate(v, 0.0); };
    all.append(d);
  });
  return all;
}

In in(const CVec& v) { return {v.data(), v.size()}; }

// A NaN anywhere spoils the whole: comparisons inside a penalty would lose it, and a diverged fit must show.
template <class... V>
bool spoiled(const V&... vectors) {
  auto bad = [](In v) { return std::any_of(v.begin(), v.end(), [](double x) { return std::isnan(x); }); };
  return (bad(in(vectors)) || ...);
}

double value(std::size_t at, double parameter, CVec w) {
  double out = not_a_number<double>;
  if (!spoiled(w)) Penalties::visit(at, [&]<class P>(P) { out = P::value(in(w), parameter); });
  return out;
}

void prox(std::size_t at, double parameter, CVec w, double t, Vec out) {
  require(out.size() == w.size(), "w and out must have one length");
  Out x(out.data(), out.size());
  if (spoiled(w) || std::isnan(t)) return std::fill(x.begin(), x.end(), not_a_number<double>);
  Penalties::visit(at, [&]<class P>(P) { P::prox(in(w), t, parameter, x); });
}

double distance(std::size_t at, double parameter, CVec g, CVec w) {
  require(g.size() == w.size(), "g and w must have one length");
  double out = not_a_number<double>;
  if (!spoiled(g, w)) Penalties::visit(at, [&]<class P>(P) { out = P::distance(in(g), in(w), parameter); });
  return out;
}

double conjugate(std::size_t at, double parameter, CVec v) {
  double out = not_a_number<double>;
  if (spoiled(v)) return out;
  Penalties::visit(at, [&]<class P>(P) {
    if constexpr (requires { P::conjugate(in(v), parameter); }) out = P::conjugate(in(v), parameter);
  });
  return out;
}

double dual_norm(std::size_t at, double parameter, CVec v) {
  double out = not_a_number<double>;
  if (spoiled(v)) return out;
  Penalties::visit(at, [&]<class P>(P) {
    if constexpr (requires { P::dual_norm(in(v), parameter); }) out = P::dual_norm(in(v), parameter);
  });
  return out;
}

nb::tuple at_parameter(std::size_t at, double parameter) {
  Facts f;
  Penalties::visit(at, [&]<class P>(P) { f = facts_of<P>(parameter); });
  return nb::make_tuple(f.convex, f.norm, f.separable, f.smooth, f.shares.l1, f.shares.l2);
}

}  // namespace

void bind_penalties(nb::module_& m) {
  auto at = nb::arg("penalty"), parameter = nb::arg("parameter");
  auto w = nb::arg("w").noconvert(), v = nb::arg("v").noconvert();
  m.def("penalties", registry);
  m.def("penalty_value", value, at, parameter, w);
  m.def("penalty_prox", prox, at, parameter, w, nb::arg("t"), nb::arg("out").noconvert());
  m.def("penalty_distance", distance, at, parameter, nb::arg("g").noconvert(), w);
  m.def("penalty_conjugate", conjugate, at, parameter, v);
  m.def("penalty_dual_norm", dual_norm, at, parameter, v);
  m.def("penalty_at", at_parameter, at, parameter, "(convex, norm, separable, smooth, l1 share, l2 share)");
}

}  // namespace widemargin
