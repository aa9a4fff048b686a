// The kernels of adaptive.hpp for one level: plain loops that the compiler turns into vectors.
#include "adaptive.hpp"

namespace widemargin::WIDEMARGIN_LEVEL {
namespace {

void weights(const double* __restrict z, const double* __restrict n, Index m, const AdaptiveRates& r,
             double* __restrict w) {
  const double l1 = r.l1, slowness = r.slowness, base = r.start + r.l2;
  for (Index j = 0; j < m; ++j) {
    double held = z[j] > l1 ? l1 : (z[j] < -l1 ? -l1 : z[j]);
    w[j] = (held - z[j]) / (base + slowness * __builtin_sqrt(n[j]));
  }
}

template <class T>
void gather(double c, const T* __restrict x, Index m, double* __restrict z, double* __restrict n) {
  for (Index j = 0; j < m; ++j) {
    double g = c * static_cast<double>(x[j]);
    z[j] += g;
    n[j] += g * g;
  }
}

template <class T>
void follow(double c, const T* __restrict x, const double* __restrict w, double slowness, Index m,
            double* __restrict z, double* __restrict n) {
  for (Index j = 0; j < m; ++j) {
    double g = c * static_cast<double>(x[j]), more = n[j] + g * g;
    z[j] += g - slowness * (__builtin_sqrt(more) - __builtin_sqrt(n[j])) * w[j];
    n[j] = more;
  }
}

}  // namespace

extern const AdaptiveKernels adaptive_table;
const AdaptiveKernels adaptive_table{weights, gather<double>, gather<float>, follow<double>, follow<float>};

}  // namespace widemargin::WIDEMARGIN_LEVEL
