// l(z) = max(0, 1 - z).  Cortes, Vapnik 1995.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Hinge {
  static constexpr LossMeta meta{.name = "hinge",
                                 .tex = R"(\max(0, 1-z))",
                                 .reference = "Cortes, Vapnik 1995",
                                 .summary = "the support vector machine's",
                                 .bound_scale = 1,
                                 .smooth = false,
                                 .piecewise_linear = true,
                                 .kinks = {1, not_a_number<double>},
                                 .dual_hi = 1,
                                 .threshold = 1};
  template <class T> static T value(T z) { return z >= 1 ? T(0) : 1 - z; }
  template <class T> static T d1(T z) { return z <= 1 ? T(-1) : T(0); }
  template <class T> static T d2(T) { return 0; }
  template <class T> static T conjugate(T a) { return a >= 0 && a <= 1 ? -a : infinity<T>; }
  template <class T> static T prox(T c, T q) { return c >= 1 ? c : std::min(c + q, T(1)); }
};

}  // namespace widemargin
