// A loss as a value: what one row asks of it, behind pointers, for passes that are not compiled once for every loss.
#pragma once
#include "loss/all.hpp"

namespace widemargin {

struct RowLoss {
  double (*slope)(double z);
  double (*proximal)(double c, double q);  // null: no implicit step

  double d1(double z) const { return slope(z); }
  double prox(double c, double q) const { return proximal(c, q); }
  bool convex() const { return proximal != nullptr; }
};

template <class L>
constexpr RowLoss row_loss() {
  if constexpr (Convex<L>) return {L::template d1<double>, L::template prox<double>};
  else return {L::template d1<double>, nullptr};
}

}  // namespace widemargin
