// l(z) = (1 - z)^2 = (y - f)^2.  Legendre 1805; as a classifier, Fisher 1936.
#pragma once
#include "meta.hpp"

namespace widemargin {

struct Squared {
  static constexpr LossMeta meta{.name = "squared",
                                 .tex = R"((1-z)^2)",
                                 .reference = "Legendre 1805",
                                 .summary = "least squares; punishes confident correct rows",
                                 .curvature = 2,
                                 .bound_scale = 1,
                                 .dual_lo = -infinity<double>,
                                 .link = "(1 + clip f) / 2"};
  template <class T> static T value(T z) { return square(1 - z); }
  template <class T> static T d1(T z) { return 2 * (z - 1); }
  template <class T> static T d2(T) { return 2; }
  template <class T> static T conjugate(T a) { return a * (a / 4 - 1); }
  template <class T> static T prox(T c, T q) { return pulled_to_one(c, 2 * q); }
  template <class T> static T probability(T f) { return (1 + std::clamp(f, T(-1), T(1))) / 2; }
};

}  // namespace widemargin
