// What is built on exp and log, without overflow; a safeguarded root.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "elementary.hpp"

namespace widemargin {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

// log(1 + e^z)
template <class T>
T log1pexp(T z) {
  T tail = log1p(exp(-std::abs(z)));
  return z > 0 ? z + tail : tail;
}

// 1 / (1 + e^-z); the small side keeps full relative precision
template <class T>
T sigmoid(T z) {
  T e = exp(-std::abs(z)), r = 1 / (1 + e);  // no branch on the sign, which is as good as random
  return z >= 0 ? r : e * r;
}

// a log a, continued by 0 at 0
template <class T>
T xlogx(T a) {
  return a > 0 ? a * log(a) : T(0);
}

template <class T>
T square(T x) {
  return x * x;
}

// a log a + (1 - a) log(1 - a) on [0, 1]; the tiny side keeps full relative precision
template <class T>
T negative_entropy(T a) {
  return xlogx(a) + (a < 1 ? (1 - a) * log1p(-a) : T(0));
}

// argmin_u t |u| + (u - w)^2 / 2; NaN stays NaN
template <class T>
T soft_threshold(T w, T t) {
  return std::abs(w) <= t ? T(0) : (w > 0 ? w - t : w + t);
}

// argmin_z h (z - 1)^2 / 2 + (z - c)^2 / 2, also for infinite h
template <class T>
T pulled_to_one(T c, T h) {
  return h == infinity<T> ? T(1) : (c + h) / (1 + h);
}

// Halfway from lo to hi in the order of the floating-point numbers: 64 halvings lead from any two to one.
template <class T>
T halfway(T lo, T hi) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  auto flip = [](Bits i) { return i < 0 ? std::numeric_limits<Bits>::min() - i : i; };
  return std::bit_cast<T>(flip(std::midpoint(flip(std::bit_cast<Bits>(lo)), flip(std::bit_cast<Bits>(hi)))));
}

// The root of an increasing f in [lo, hi]: Newton steps; halving whenever one leaves the bracket, or they are many.
// Where f is not a number (inf - inf, at an infinite end) there is nothing to improve on.
template <class T, class F>
T increasing_root(T lo, T hi, T start, F value_and_slope) {
  T x = std::clamp(start, lo, hi);
  for (int k = 0; k < 150; ++k) {
    auto [f, slope] = value_and_slope(x);
    if (f == 0 || std::isnan(f)) return x;
    (f > 0 ? hi : lo) = x;
    auto there = [x](T y) { return std::abs(y - x) <= std::numeric_limits<T>::epsilon() * std::abs(x); };
    T next = x - f / slope;
    if (!there(next) && (!(next > lo && next < hi) || (k > 8 && k % 2))) next = halfway(lo, hi);
    if (there(next)) return std::clamp(next, lo, hi);
    x = next;
  }
  return x;
}

// The z with z - q e^-z = c, q >= 0.  u = z - c solves u e^u = q e^-c, that is u + log u = log q - c: no overflow.
template <class T>
T decay_root(T c, T q) {
  T r = log(q) - c;
  if (r == infinity<T>) return r;
  if (r < -40) return c + exp(r);  // u e^u = u to working precision
  T high = r > 1 ? r : exp(r);
  T u = increasing_root(T(0), high, high / 2, [=](T v) { return std::pair(v + log(v) - r, 1 + 1 / v); });
  return u > 1 ? log(q) - log(u) : c + u;  // one number: each form where it is rounded less
}

// f <- softmax(f), returns log sum exp
inline double softmax(double* f, int K) {
  double top = *std::max_element(f, f + K), sum = 0;
  for (int k = 0; k < K; ++k) sum += f[k] = exp(f[k] - top);
  for (int k = 0; k < K; ++k) f[k] /= sum;
  return top + log(sum);
}

}  // namespace widemargin
