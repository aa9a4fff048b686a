// Arithmetic of adaptive steps on adjacent numbers, compiled once for each instruction-set level.
#pragma once
#include "tile.hpp"

namespace widemargin {

struct AdaptiveRates {
  double slowness;   // 1 / eta
  double start;      // of the slowness, before any slope was seen: > 0
  double l1, l2;     // strengths times the steps made
};

struct AdaptiveKernels {
  // w = -soft(z, l1) / (start + slowness sqrt(n) + l2)
  void (*weights)(const double* z, const double* n, Index m, const AdaptiveRates& r, double* w);
  // g = c x,  n += g^2,  z += g
  void (*gather)(double c, const double* x, Index m, double* z, double* n);
  void (*gather_single)(double c, const float* x, Index m, double* z, double* n);
  // the same, with z -= (change of slowness sqrt(n)) w
  void (*follow)(double c, const double* x, const double* w, double slowness, Index m, double* z, double* n);
  void (*follow_single)(double c, const float* x, const double* w, double slowness, Index m, double* z, double* n);
};

const AdaptiveKernels& adaptive_kernels();  // of the level that runs

}  // namespace widemargin
