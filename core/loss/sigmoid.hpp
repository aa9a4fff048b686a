// l(z) = 1 / (1 + exp(z)).  The notes' smooth S between zero-one's steps; Mason et al. 1999.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Sigmoid {
  static constexpr LossMeta meta{.name = "sigmoid",
                                 .tex = R"(\frac{1}{1+e^{z}})",
                                 .reference = "Mason, Baxter, Bartlett, Frean 1999",
                                 .summary = "S-curve: smooth zero-one; not convex",
                                 .curvature = 0.09622504486493764,  // 1 / (6 sqrt 3)
                                 .bound_scale = 2,
                                 .convex = false};
  template <class T> static T value(T z) { return sigmoid(-z); }
  template <class T> static T d1(T z) { return -sigmoid(z) * sigmoid(-z); }
  template <class T> static T d2(T z) { return sigmoid(z) * sigmoid(-z) * std::tanh(z / 2); }
};

}  // namespace widemargin
