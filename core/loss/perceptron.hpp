// l(z) = max(0, -z).  Rosenblatt 1958.  Its subgradient step is the perceptron's update.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Perceptron {
  static constexpr LossMeta meta{.name = "perceptron",
                                 .tex = R"(\max(0, -z))",
                                 .reference = "Rosenblatt 1958",
                                 .summary = "how far on the wrong side; no margin",
                                 .smooth = false,
                                 .piecewise_linear = true,
                                 .kinks = {0, not_a_number<double>},
                                 .dual_hi = 1,
                                 .threshold = 0};
  template <class T> static T value(T z) { return z >= 0 ? T(0) : -z; }
  template <class T> static T d1(T z) { return z <= 0 ? T(-1) : T(0); }
  template <class T> static T d2(T) { return 0; }
  template <class T> static T conjugate(T a) { return a >= 0 && a <= 1 ? T(0) : infinity<T>; }
  template <class T> static T prox(T c, T q) { return c >= 0 ? c : std::min(c + q, T(0)); }
};

}  // namespace widemargin
