// l(z) = exp(-z).  Freund, Schapire 1997; Friedman, Hastie, Tibshirani 2000.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Exponential {
  static constexpr LossMeta meta{.name = "exponential",
                                 .tex = R"(e^{-z})",
                                 .reference = "Freund, Schapire 1997",
                                 .summary = "boosting's; chases outliers",
                                 .bound_scale = 1,
                                 .closed_prox = false,
                                 .link = "sigmoid(2 f)"};
  template <class T> static T value(T z) { return exp(-z); }
  template <class T> static T d1(T z) { return -exp(-z); }
  template <class T> static T d2(T z) { return exp(-z); }
  template <class T> static T conjugate(T a) { return a < 0 ? infinity<T> : (a > 0 ? a * (log(a) - 1) : a); }
  template <class T> static T prox(T c, T q) { return decay_root(c, q); }
  template <class T> static T probability(T f) { return sigmoid(2 * f); }
};

}  // namespace widemargin
