// A test is a program: check() counts, report() prints the count and is what main returns.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace check {

inline int passed = 0, failed = 0;

inline void that(bool holds, const std::string& what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("FAILED %s\n", what.c_str());
}

inline void close(double a, double b, double tolerance, const std::string& what) {
  bool same = a == b || std::abs(a - b) <= tolerance * (1 + std::max(std::abs(a), std::abs(b)));
  that(same, same ? what : what + ": " + std::to_string(a) + " against " + std::to_string(b));
}

inline int report() {
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

// Numbers in (-1, 1), the same on every machine.  splitmix64: Steele, Lea, Flood 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double next() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; }
  std::vector<double> vector(std::size_t n) {
    std::vector<double> v(n);
    for (double& x : v) x = next();
    return v;
  }

 private:
  std::uint64_t state_;
};

}  // namespace check
