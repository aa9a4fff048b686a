// Every loss of the list: numbers at +-1000, derivatives, Fenchel-Young, prox.
#include "check.hpp"
#include "loss/all.hpp"

using namespace widemargin;

namespace {

const double points[] = {-1000, -37.5, -2.25, -1, -0.3, 0, 0.4, 1, 1.7, 36, 1000};

bool kinked(const LossMeta& meta, double z) {
  auto near = [z](double k) { return std::abs(z - k) < 1e-4; };
  return std::ranges::any_of(meta.kinks, near) || std::ranges::any_of(meta.joints, near);
}

template <class L, class T>
void numbers(const std::string& name) {
  for (double z : points) {
    T t = static_cast<T>(z);
    std::string at = name + " at " + std::to_string(z);
    check::that(!std::isnan(L::value(t)) && L::value(t) >= 0, at + ": value");
    check::that(!std::isnan(L::d1(t)) && L::d1(t) <= 0 + (L::d1(t) > 0 ? infinity<T> : 0), at + ": d1");
    check::that(!std::isnan(L::d2(t)), at + ": d2");
  }
}

template <class L>
void derivatives(const std::string& name) {
  constexpr double h = 1e-6;
  for (double z : points) {
    if (std::abs(z) > 30 || kinked(L::meta, z)) continue;
    std::string at = name + " at " + std::to_string(z);
    check::close((L::value(z + h) - L::value(z - h)) / (2 * h), L::d1(z), 1e-7, at + ": slope");
    check::close((L::d1(z + h) - L::d1(z - h)) / (2 * h), L::d2(z), 1e-7, at + ": curvature");
    check::that(L::d2(z) <= L::meta.curvature * (1 + 1e-12) || L::meta.piecewise_linear, at + ": sup l''");
  }
}

template <class L>
void conjugates(const std::string& name) {
  for (double a : {-0.5, 0.0, 0.25, 1.0, 1.5, 4.0, 5.0}) {
    double star = L::conjugate(a);
    check::that(std::isfinite(star) == (a >= L::meta.dual_lo && a <= L::meta.dual_hi), name + ": dual domain");
    for (double z : points)
      if (std::isfinite(L::value(z)))
        check::that(L::value(z) + star >= -a * z - 1e-12 * (1 + std::abs(a * z)), name + ": Fenchel-Young");
  }
  for (double z : points) {
    if (std::abs(z) > 30) continue;
    double a = -L::d1(z);
    check::close(L::value(z) + L::conjugate(a), -a * z, 1e-12, name + ": equality at " + std::to_string(z));
  }
}

// 0 in (z - c)/q + [left, right derivative]
template <class L>
void proxes(const std::string& name) {
  for (double q : {1e-3, 0.5, 20.0})
    for (double c : points) {
      if (std::abs(c) > 40) continue;
      double z = L::prox(c, q), pull = (c - z) / q;
      std::string at = name + ": prox at " + std::to_string(c);
      double left = L::d1(z), right = right_slope<L>(z, left);
      double slack = 1e-9 * (1 + std::abs(pull) + L::d2(z) + std::abs(c) / q);
      check::that(pull >= left - slack && pull <= right + slack, at);
    }
}

}  // namespace

int main() {
  Losses::each([]<class L>(L) {
    std::string name = L::meta.name;
    numbers<L, double>(name);
    numbers<L, float>(name + " (float)");
    derivatives<L>(name);
    if constexpr (Convex<L>) {
      conjugates<L>(name);
      proxes<L>(name);
    }
  });
  return check::report();
}
