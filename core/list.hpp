// A list of types, and a run-time index turned into a type.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace widemargin {

template <class... T>
struct List {
  static constexpr std::size_t size = sizeof...(T);

  template <class F>
  static void each(F f) {
    (f(T{}), ...);
  }

  // f(T{}) for the T at this index
  template <class F>
  static void visit(std::size_t index, F f) {
    std::size_t at = 0;
    bool found = ((at++ == index ? (f(T{}), true) : false) || ...);
    if (!found) throw std::out_of_range("no such entry in the list");
  }
};

}  // namespace widemargin
