// l(z) = max(0, 1 - z)^2.  Chang, Hsieh, Lin 2008.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct SquaredHinge {
  static constexpr LossMeta meta{.name = "squared_hinge",
                                 .tex = R"(\max(0, 1-z)^2)",
                                 .reference = "Chang, Hsieh, Lin 2008",
                                 .summary = "hinge, smooth, harder on large errors",
                                 .curvature = 2,
                                 .bound_scale = 1,
                                 .joints = {1, not_a_number<double>},
                                 .threshold = 1,
                                 .link = "(1 + clip f) / 2"};
  template <class T> static T value(T z) { return z >= 1 ? T(0) : square(1 - z); }
  template <class T> static T d1(T z) { return z >= 1 ? T(0) : 2 * (z - 1); }
  template <class T> static T d2(T z) { return z <= 1 ? T(2) : T(0); }
  template <class T> static T conjugate(T a) { return a >= 0 ? a * (a / 4 - 1) : infinity<T>; }
  template <class T> static T prox(T c, T q) { return c >= 1 ? c : pulled_to_one(c, 2 * q); }
  template <class T> static T probability(T f) { return (1 + std::clamp(f, T(-1), T(1))) / 2; }
};

}  // namespace widemargin
