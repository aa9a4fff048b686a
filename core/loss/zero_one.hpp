// l(z) = [z <= 0].  The count of mistakes itself; minimising it is NP-hard (Johnson, Preparata 1978).
#pragma once
#include "meta.hpp"

namespace widemargin {

struct ZeroOne {
  static constexpr LossMeta meta{.name = "zero_one",
                                 .tex = R"([z \le 0])",
                                 .reference = "Johnson, Preparata 1978",
                                 .summary = "counts mistakes; not convex",
                                 .bound_scale = 1,
                                 .convex = false,
                                 .smooth = false,
                                 .kinks = {0, not_a_number<double>},
                                 .threshold = 0};
  template <class T> static T value(T z) { return z > 0 ? T(0) : (z <= 0 ? T(1) : z); }
  template <class T> static T d1(T) { return 0; }
  template <class T> static T d2(T) { return 0; }
};

}  // namespace widemargin
