// exp, log, log(1 + x) to about one unit in the last place, without a branch: loops over them become vector code.
//   e^x = 2^n e^r, |r| <= log 2 / 2, by a polynomial;  log(2^k (1 + f)) = k log 2 + 2 artanh(f / (2 + f)).  Tang 1990.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace widemargin {

namespace elementary {

using Bits = std::uint64_t;
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;  // k ln2_high is exact
constexpr double inf = std::numeric_limits<double>::infinity();

// log(2^k (1 + f)) + c for sqrt(1/2) <= 1 + f <= sqrt(2) and a tiny c
inline double log_sum(double k, double f, double c) {
  double half = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
  double odd = w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
  double even = z * (0.6666666666666735130 + w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
  return s * (half + (odd + even)) + (k * ln2_low + c) - half + f + k * ln2_high;
}

struct Split {
  double k, f;  // x = 2^k (1 + f)
};

// for normal x > 0
inline Split split(double x) {
  constexpr Bits one = 0x3ff0000000000000, root_half = 0x3fe6a09e00000000, mantissa = 0x000fffffffffffff;
  Bits bits = std::bit_cast<Bits>(x) + (one - root_half);
  double k = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023);
  return {k, std::bit_cast<double>((bits & mantissa) + root_half) - 1};
}

}  // namespace elementary

#ifdef WIDEMARGIN_VECTOR
inline double exp(double x) {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: its last bits are whole numbers
  x = x > 710 ? 710 : x;
  x = x < -746 ? -746 : x;
  double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
  double r = (x - n * elementary::ln2_high) - n * elementary::ln2_low, q = r * r;
  double low = (1.0 / 2 + r * (1.0 / 6)) + q * (1.0 / 24 + r * (1.0 / 120));
  double middle = (1.0 / 720 + r * (1.0 / 5040)) + q * (1.0 / 40320 + r * (1.0 / 362880));
  double high = (1.0 / 3628800 + r * (1.0 / 39916800)) + q * (1.0 / 479001600 + r * (1.0 / 6227020800));
  double power = 1 + (r + q * (low + q * q * (middle + q * q * high)));
  // 2^n in two factors, each of which is in range: the product overflows, and loses digits, where e^x does
  auto up = std::bit_cast<elementary::Bits>(shifted) - std::bit_cast<elementary::Bits>(shift) + 2046, half = up >> 1;
  return power * std::bit_cast<double>(half << 52) * std::bit_cast<double>((up - half) << 52);
}
#else
// One number at a time waits for the whole chain of operations, which the C library's table makes shorter.
inline double exp(double x) { return std::exp(x); }
#endif

inline double log(double x) {
  using namespace elementary;
  bool tiny = x < std::numeric_limits<double>::min();
  auto [k, f] = split(tiny ? x * 18014398509481984.0 : x);
  double y = log_sum(tiny ? k - 54 : k, f, 0);
  y = x > 0 ? y : (x == 0 ? -inf : std::numeric_limits<double>::quiet_NaN());
  return x < inf ? y : x;
}

inline double log1p(double x) {
  using namespace elementary;
  double u = 1 + x;
  auto [k, f] = split(u);
  double lost = (k >= 2 ? 1 - (u - x) : x - (u - 1)) / u;  // what 1 + x was rounded by
  double y = log_sum(k, k == 0 ? x : f, k == 0 ? 0 : lost);
  y = u > 0 ? y : (u == 0 ? -inf : std::numeric_limits<double>::quiet_NaN());
  return u < inf ? y : u;
}

inline float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }

}  // namespace widemargin
