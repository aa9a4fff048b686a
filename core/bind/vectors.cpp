// Two sums over long vectors, on one thread: a library's may wait for a second one, and its bits depend on how many.
//   inner(a, b) = <a, b>     distance(a, b) = ||a - b||
#include <algorithm>
#include <array>
#include <cmath>

#include "bind.hpp"

namespace widemargin {
namespace {

constexpr Index piece = 512;

double inner(const CAny& a, const CAny& b) {
  require(a.size() == b.size(), "the arrays have different sizes");
  return dense_kernels<double>().dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

double distance(const CAny& a, const CAny& b) {
  require(a.size() == b.size(), "the arrays have different sizes");
  std::array<double, piece> gap;
  double squares = 0;
  for (Index at = 0, size = static_cast<Index>(a.size()); at < size; at += piece) {
    Index count = std::min(piece, size - at);
    for (Index j = 0; j < count; ++j) gap[j] = a.data()[at + j] - b.data()[at + j];
    squares += dense_kernels<double>().sqnorm(gap.data(), count);
  }
  return std::sqrt(squares);
}

}  // namespace

// nothing is written here, so an array in another order may be copied
void bind_vectors(nb::module_& m) {
  m.def("inner", inner, nb::arg("a"), nb::arg("b"));
  m.def("distance", distance, nb::arg("a"), nb::arg("b"));
}

}  // namespace widemargin
