// l(z) = log(1 + exp(-z)).  Cox 1958.
#pragma once
#include <utility>

#include "meta.hpp"

namespace widemargin {

struct Logistic {
  static constexpr LossMeta meta{.name = "logistic",
                                 .tex = R"(\log(1+e^{-z}))",
                                 .reference = "Cox 1958",
                                 .summary = "negative log-likelihood of linear log-odds",
                                 .curvature = 0.25,
                                 .bound_scale = 1.4426950408889634,  // 1 / log 2
                                 .dual_hi = 1,
                                 .closed_prox = false,
                                 .link = "sigmoid(f)"};
  template <class T> static T value(T z) { return log1pexp(-z); }
  template <class T> static T d1(T z) { return -sigmoid(-z); }
  template <class T> static T d2(T z) { return sigmoid(z) * sigmoid(-z); }
  template <class T> static T conjugate(T a) { return a >= 0 && a <= 1 ? negative_entropy(a) : infinity<T>; }
  // z - q sigmoid(-z) = c; sigmoid(-z) is less than sigmoid(-c) and than e^-z, which bounds the root twice
  template <class T> static T prox(T c, T q) {
    T high = c + q * sigmoid(-c);
    if (q > 1) high = std::min(decay_root(c, q), high);  // not NaN for q = inf
    return increasing_root(c, high, high, [=](T z) {
      T s = sigmoid(-z);
      return std::pair(z - c - q * s, 1 + q * s * (1 - s));
    });
  }
  template <class T> static T probability(T f) { return sigmoid(f); }
};

}  // namespace widemargin
