// THE list of losses.  A new loss: its header in this folder, and its name here.
#pragma once
#include "../list.hpp"
#include "widemargin_loss_headers.hpp"  // every header of this folder, gathered by the build

namespace widemargin {

using Losses = List<
    ZeroOne,
    Perceptron,
    Hinge,
    SquaredHinge,
    SmoothHinge,
    ModifiedHuber,
    Logistic,
    Exponential,
    Squared,
    Sigmoid
    // one line per loss
    >;

template <class L>
concept Convex = L::meta.convex;

template <class L>
concept HasLink = requires(double f) { L::probability(f); };

// The right derivative at z, whose left derivative is `left`.
template <class L, class T>
T right_slope(T z, T left) {
  for (double kink : L::meta.kinks)
    if (z == T(kink)) return L::d1(std::nextafter(z, infinity<T>));
  return left;
}

}  // namespace widemargin
