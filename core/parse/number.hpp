// Decimal text -> double, correctly rounded.
//
// m 10^k with m < 2^53 and |k| <= 22 is one exact integer and one exact power: their product or quotient is rounded
// once (Clinger 1990, "How to read floating point numbers accurately").  All else goes to std::from_chars.
#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace widemargin::parse {

inline constexpr std::array<double, 23> powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Text that Clinger's rule does not cover: many digits, large exponents, inf and nan, or no number at all.
inline const char* slow_number(const char* p, const char* end, double& out) {
  if (p < end && *p == '+') ++p;
  if (p < end && *p == '+') return nullptr;
  auto [stop, error] = std::from_chars(p, end, out);
  // beyond the largest double: the sign's infinity, which the caller refuses; below the smallest: 0
  if (error == std::errc::result_out_of_range) {
    bool tiny = false;
    for (const char* q = p; q + 1 < stop; ++q) tiny |= (*q == 'e' || *q == 'E') && q[1] == '-';
    out = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return stop;
  }
  return error == std::errc{} ? stop : nullptr;
}

// Reads a number at p; returns where it ends, or nullptr.
inline const char* number(const char* p, const char* end, double& out) {
  const char* start = p;
  bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  std::uint64_t mantissa = 0;
  const char* first = p;
  while (p < end && digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
  std::int64_t digits = p - first, exponent = 0;
  if (p < end && *p == '.') {
    const char* point = ++p;
    while (p < end && digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
    exponent = point - p;
    digits -= exponent;
  }
  if (digits == 0 || digits > 18) return slow_number(start, end, out);  // 19 digits may overflow
  if (p < end && (*p == 'e' || *p == 'E')) {
    int power = 0;
    const char* from = p + 1;
    if (from < end && *from == '+') ++from;
    auto [stop, error] = std::from_chars(from, end, power);
    if (error != std::errc{} || power > 400 || power < -400) return slow_number(start, end, out);
    exponent += power;
    p = stop;
  }
  if (mantissa > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) return slow_number(start, end, out);
  double value = static_cast<double>(mantissa);
  value = exponent < 0 ? value / powers[static_cast<std::size_t>(-exponent)] : value * powers[static_cast<std::size_t>(exponent)];
  out = minus ? -value : value;
  return p;
}

}  // namespace widemargin::parse
