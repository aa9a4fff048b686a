// A record of single updates: which row, its margin before and after, the step size.
// When full, every second entry goes and from then on only every second, fourth ... is taken.
#pragma once
#include <vector>

#include "rows.hpp"

namespace widemargin {

struct Steps {
  Steps(std::size_t most, bool only_updates) : capacity(most), updates_only(only_updates) {}

  std::size_t capacity;  // 0: keep all
  bool updates_only;
  Index stride = 1, seen = 0;
  std::vector<Index> time, row;
  std::vector<double> before, after, size;

  bool wants(bool updated) {
    if (updates_only && !updated) return false;
    return seen++ % stride == 0;
  }

  [[gnu::noinline]] void take(Index t, Index i, double z, double z_after, double eta) {
    time.push_back(t), row.push_back(i), before.push_back(z), after.push_back(z_after), size.push_back(eta);
    if (capacity && time.size() >= capacity) {
      thin(time), thin(row), thin(before), thin(after), thin(size);
      stride *= 2;
    }
  }

 private:
  template <class T>
  static void thin(std::vector<T>& v) {
    for (std::size_t k = 0; 2 * k < v.size(); ++k) v[k] = v[2 * k];
    v.resize((v.size() + 1) / 2);
  }
};

}  // namespace widemargin
