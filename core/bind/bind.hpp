// What the bindings share: array types that never convert silently, and rows that keep their arrays alive.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "../heads.hpp"
#include "../rows.hpp"

namespace nb = nanobind;

namespace widemargin {

// `.noconvert()` on every array argument: otherwise an output would be copied, written and thrown away.
using Vec = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mat = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CVec = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CMat = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CAny = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // (n,) or (n, K)
using CIndex = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct RowsView {
  AnyRows rows;
  nb::object keep;  // the arrays that `rows` points into
  Index n, d;
};

template <class A>
auto* data(const std::optional<A>& array) {
  return array ? array->data() : nullptr;
}

inline void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(what);
}

inline Heads heads_of(std::string_view name) {
  return name == "softmax" ? Heads::softmax : (name == "crammer_singer" ? Heads::rival : Heads::ovr);
}

inline int columns_of(const std::optional<CAny>& offset) {
  return offset && offset->ndim() == 2 ? static_cast<int>(offset->shape(1)) : 1;
}

// an array that owns what the vector held
template <class T, class A>
nb::ndarray<nb::numpy, T, nb::ndim<1>> give(std::vector<T, A> values) {
  using Held = std::vector<T, A>;
  auto held = std::make_unique<Held>(std::move(values));
  T* start = held->data();
  std::size_t size = held->size();
  nb::capsule owner(held.release(), [](void* p) noexcept { std::unique_ptr<Held>(static_cast<Held*>(p)); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(start, {size}, owner);
}

void bind_losses(nb::module_&);
void bind_penalties(nb::module_&);
void bind_rows(nb::module_&);
void bind_intake(nb::module_&);
void bind_duals(nb::module_&);
void bind_fold(nb::module_&);
void bind_sgd(nb::module_&);
void bind_descent(nb::module_&);
void bind_vectors(nb::module_&);
void bind_columns(nb::module_&);
void bind_dual(nb::module_&);
void bind_cg(nb::module_&);
void bind_kink(nb::module_&);
void bind_parse(nb::module_&);
void bind_symmetric(nb::module_&);

}  // namespace widemargin
