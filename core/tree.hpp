// Sums of leaves in a binary tree that depends on the leaves' numbers only, not on who computed them or when.
#pragma once
#include <utility>
#include <vector>

namespace widemargin {

class Tree {
 public:
  explicit Tree(std::size_t size) : size_(size) {}

  std::size_t size() const { return size_; }

  // an empty leaf to be filled, and then pushed
  std::vector<double> leaf() {
    if (spare_.empty()) return std::vector<double>(size_, 0.0);
    auto v = std::move(spare_.back());
    spare_.pop_back();
    std::fill(v.begin(), v.end(), 0.0);
    return v;
  }

  // leaves come in order; two of one height become one of the next, as digits carry
  void push(std::vector<double> part) {
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

  // the total; the tree stays as it is, so that more leaves may follow
  std::vector<double> total() const {
    if (stack_.empty()) return std::vector<double>(size_, 0.0);
    auto sum = stack_.back().second;
    for (auto at = stack_.rbegin() + 1; at != stack_.rend(); ++at) {
      auto left = at->second;
      merge(left, sum);
      sum = std::move(left);
    }
    return sum;
  }

 private:
  static void merge(std::vector<double>& left, const std::vector<double>& right) {
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += right[k];
  }

  std::size_t size_;
  std::vector<std::pair<int, std::vector<double>>> stack_;
  std::vector<std::vector<double>> spare_;
};

}  // namespace widemargin
