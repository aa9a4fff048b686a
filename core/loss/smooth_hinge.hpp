// l(z) = 0 for z >= 1; (1 - z)^2 / 2 on [0, 1]; 1/2 - z below.  Rennie, Srebro 2005.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct SmoothHinge {
  static constexpr LossMeta meta{.name = "smooth_hinge",
                                 .tex = R"(\tfrac12 \max(0, 1-z)^2 - \tfrac12 \max(0, -z)^2)",
                                 .reference = "Rennie, Srebro 2005",
                                 .summary = "hinge with its corner rounded",
                                 .curvature = 1,
                                 .bound_scale = 2,
                                 .joints = {0, 1},
                                 .dual_hi = 1,
                                 .threshold = 1};
  template <class T> static T value(T z) { return z >= 1 ? T(0) : (z >= 0 ? square(1 - z) / 2 : T(0.5) - z); }
  template <class T> static T d1(T z) { return std::clamp(z - 1, T(-1), T(0)); }
  template <class T> static T d2(T z) { return z > 0 && z <= 1 ? T(1) : T(0); }
  template <class T> static T conjugate(T a) { return a >= 0 && a <= 1 ? a * a / 2 - a : infinity<T>; }
  template <class T> static T prox(T c, T q) { return c >= 1 ? c : (c + q >= 0 ? pulled_to_one(c, q) : c + q); }
};

}  // namespace widemargin
