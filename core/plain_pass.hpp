// The common stochastic pass, compiled once per layout and loss, in units of their own (core/plain/).
#pragma once
#include "loss/all.hpp"
#include "pass.hpp"
#include "steps.hpp"

namespace widemargin {

// Whether PlainPass makes these steps; SgdPass makes all.
inline bool plain(std::size_t loss, const SgdOptions& opt) {
  return loss < Losses::size && opt.l1 == 0 && opt.batch == 1 && opt.average_from < 0 && !opt.pocket;
}

template <class R>
struct PlainRun {
  const R& X;
  std::size_t loss;  // its place in the list
  const SgdRows& rows;
  const SgdOptions& opt;
  SgdState& st;
  Steps* steps;
  const double* eta;  // one step size for all, or one per row
  bool constant;
};

template <class R>
void plain_pass(const PlainRun<R>& run);

}  // namespace widemargin
