// What is true of a penalty as a whole.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "../math.hpp"

namespace widemargin {

using In = std::span<const double>;
using Out = std::span<double>;

struct PenaltyMeta {
  const char* name;
  const char* tex;
  const char* reference;
  const char* summary;
  bool convex = true;
  bool norm = false;        // positively homogeneous: its conjugate is the indicator of the dual ball
  bool separable = false;   // a sum over coordinates
  bool smooth = false;      // differentiable everywhere
  const char* parameter = "";
  double standard = 0, low = 0, high = 0;  // the parameter: default, and the range it may have
};

// l1 |w| + l2 w^2 / 2 per coordinate; NaN where a penalty is not of that form
struct Shares {
  double l1 = not_a_number<double>, l2 = not_a_number<double>;
};

inline double norm1(In v) {
  double sum = 0;
  for (double x : v) sum += std::abs(x);
  return sum;
}

inline double norm_max(In v) {
  double top = 0;
  for (double x : v) top = std::max(top, std::abs(x));
  return top;
}

// scaled, so that neither large nor tiny entries overflow
inline double norm2(In v) {
  double top = norm_max(v), sum = 0;
  if (top == 0 || !std::isfinite(top)) return top;
  for (double x : v) sum += square(x / top);
  return top * std::sqrt(sum);
}

inline double norm_p(In v, double p) {
  if (std::isinf(p)) return norm_max(v);
  double top = norm_max(v), sum = 0;
  if (top == 0 || !std::isfinite(top)) return top;
  for (double x : v) sum += std::pow(std::abs(x) / top, p);
  return top * std::pow(sum, 1 / p);
}

// the length of the vector with these entries
template <class F>
double length(std::size_t d, F entry) {
  std::vector<double> r(d);
  for (std::size_t j = 0; j < d; ++j) r[j] = entry(j);
  return norm2(r);
}

inline double sign(double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); }

// distance from -g to [-r, r]
inline double beyond(double g, double r) { return std::max(0.0, std::abs(g) - r); }

// the conjugate of a norm: 0 inside the dual ball, infinite outside
inline double indicator(double dual_norm) { return dual_norm <= 1 ? 0.0 : infinity<double>; }

}  // namespace widemargin
