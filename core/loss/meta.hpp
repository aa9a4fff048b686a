// What is true of a loss as a whole.  Everything else that depends on the loss reads it from here.
#pragma once
#include <array>

#include "../math.hpp"

namespace widemargin {

struct LossMeta {
  const char* name;
  const char* tex;
  const char* reference;
  const char* summary;
  double curvature = infinity<double>;       // sup l''
  double bound_scale = not_a_number<double>; // times this, the loss bounds zero-one; NaN: nothing does
  bool convex = true;
  bool smooth = true;                        // differentiable everywhere
  bool piecewise_linear = false;
  std::array<double, 2> kinks{not_a_number<double>, not_a_number<double>};   // where l' jumps
  std::array<double, 2> joints{not_a_number<double>, not_a_number<double>};  // where l'' jumps
  double dual_lo = 0, dual_hi = infinity<double>;  // the a for which l*(-a) is finite
  double threshold = infinity<double>;       // the loss is 0 beyond
  bool closed_prox = true;                   // prox is a few operations; else it iterates, and |l'''| <= l''
  const char* link = "";                     // P(y | score f), where the loss implies one
};

}  // namespace widemargin
