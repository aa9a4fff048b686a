// l(z) = max(0, 1 - z)^2 for z >= -1; -4 z below.  Zhang 2004.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct ModifiedHuber {
  static constexpr LossMeta meta{.name = "modified_huber",
                                 .tex = R"(\max(0, 1-z)^2 - \max(0, -1-z)^2)",
                                 .reference = "Zhang 2004",
                                 .summary = "squared hinge that forgives outliers",
                                 .curvature = 2,
                                 .bound_scale = 1,
                                 .joints = {-1, 1},
                                 .dual_hi = 4,
                                 .threshold = 1,
                                 .link = "(1 + clip f) / 2"};
  template <class T> static T value(T z) { return z >= 1 ? T(0) : (z >= -1 ? square(1 - z) : -4 * z); }
  template <class T> static T d1(T z) { return std::clamp(2 * (z - 1), T(-4), T(0)); }
  template <class T> static T d2(T z) { return z > -1 && z <= 1 ? T(2) : T(0); }
  template <class T> static T conjugate(T a) { return a >= 0 && a <= 4 ? a * a / 4 - a : infinity<T>; }
  template <class T> static T prox(T c, T q) {
    return c >= 1 ? c : (c + 4 * q >= -1 ? pulled_to_one(c, 2 * q) : c + 4 * q);
  }
  template <class T> static T probability(T f) { return (1 + std::clamp(f, T(-1), T(1))) / 2; }
};

}  // namespace widemargin
