// A loss as a value: what one row asks of it, behind pointers, for passes that are not compiled once for every loss.
#pragma once
#include "loss/all.hpp"

namespace widemargin {

struct RowLoss {
  double (*value_at)(double z, double e);
  double (*slope_at)(double z, double e);
  double (*prox_at)(double c, double q);  // null: no implicit step
  double e = 0;

  double value(double z) const { return value_at(z, e); }
  double d1(double z) const { return slope_at(z, e); }
  double prox(double c, double q) const { return prox_at(c, q); }
  bool convex() const { return prox_at != nullptr; }
};

template <class L>
constexpr RowLoss row_loss() {
  RowLoss loss{[](double z, double) { return L::value(z); }, [](double z, double) { return L::d1(z); }, nullptr};
  if constexpr (Convex<L>) loss.prox_at = L::template prox<double>;
  return loss;
}

// Beyond the list, by number: regression's losses of the residual |y - f| = |1 - z|, with a tolerance e; and what
// PA-II steps on beside what it suffers (Crammer et al. 2006).
inline RowLoss row_loss(std::size_t index, double e) {
  RowLoss found{};
  if (index < Losses::size) {
    Losses::visit(index, [&]<class L>(L) { found = row_loss<L>(); });
    return found;
  }
  static constexpr auto excess = [](double z, double e) { return std::max(std::abs(1 - z) - e, 0.0); };
  static constexpr auto signed_excess = [](double z, double e) { return std::copysign(excess(z, e), z - 1); };
  static constexpr RowLoss more[] = {
      {[](double z, double) { return square(1 - z) / 2; }, [](double z, double) { return z - 1; }, nullptr},
      {[](double z, double e) { return (square(1 - z) - square(excess(z, e))) / 2; },  // Huber 1964
       [](double z, double e) { return std::clamp(z - 1, -e, e); }, nullptr},
      {excess, [](double z, double e) { return excess(z, e) > 0 ? std::copysign(1.0, z - 1) : 0.0; }, nullptr},
      {[](double z, double e) { return square(excess(z, e)); },
       [](double z, double e) { return 2 * signed_excess(z, e); }, nullptr},
      {row_loss<Hinge>().value_at, row_loss<SquaredHinge>().slope_at, row_loss<SquaredHinge>().prox_at},
  };
  found = more[std::min(index - Losses::size, std::size(more) - 1)];
  found.e = e;
  return found;
}

}  // namespace widemargin
