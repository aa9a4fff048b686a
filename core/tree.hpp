// Sums of leaves in a binary tree that depends on the leaves' numbers only, not on who computed them or when.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace widemargin {

// Large pages for what is large: a sum over a million columns is written all over, a small page at a time otherwise.
template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  T* allocate(std::size_t count) {
    std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    if (bytes <= 2 * page) return std::allocator<T>().allocate(count);
    void* found = std::aligned_alloc(page, bytes);
    if (!found) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(found, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(found);
  }
  void deallocate(T* at, std::size_t count) {
    if (count * sizeof(T) <= 2 * page) std::allocator<T>().deallocate(at, count);
    else std::free(at);
  }
  bool operator==(const LargePages&) const { return true; }
};

using Partial = std::vector<double, LargePages<double>>;

class Tree {
 public:
  explicit Tree(std::size_t size) : size_(size) {}

  std::size_t size() const { return size_; }

  // an empty leaf to be filled, and then pushed
  Partial leaf() {
    if (spare_.empty()) return Partial(size_, 0.0);
    auto v = std::move(spare_.back());
    spare_.pop_back();
    std::fill(v.begin(), v.end(), 0.0);
    return v;
  }

  // leaves come in order; two of one height become one of the next, as digits carry
  void push(Partial part) {
    int height = 0;
    while (!stack_.empty() && stack_.back().first == height) {
      merge(stack_.back().second, part);
      std::swap(part, stack_.back().second);
      spare_.push_back(std::move(stack_.back().second));
      stack_.pop_back();
      ++height;
    }
    stack_.emplace_back(height, std::move(part));
  }

  // the total; the tree is empty afterwards
  Partial take() {
    if (stack_.empty()) return Partial(size_, 0.0);
    for (; stack_.size() > 1; stack_.pop_back()) merge(stack_[stack_.size() - 2].second, stack_.back().second);
    auto sum = std::move(stack_.back().second);
    stack_.clear();
    return sum;
  }

 private:
  static void merge(Partial& left, const Partial& right) {
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += right[k];
  }

  std::size_t size_;
  std::vector<std::pair<int, Partial>> stack_;
  std::vector<Partial> spare_;
};

}  // namespace widemargin
