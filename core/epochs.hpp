// Passes of a stochastic method over one margin a row, until several in a row do not improve by tol.
// Improve: the mean objective that rows met falls, or the accuracy on rows held out rises.  The rule, the step sizes and
// the order of rows are those of scikit-learn's SGD; its shuffle is Marsaglia's xorshift (2003), carried from pass to pass.
#pragma once
#include <functional>

#include "plain_pass.hpp"
#include "sgd.hpp"

namespace widemargin {

enum class Schedule { constant, optimal, inverse };  // eta; 1 / (alpha (t0 + t - 1)); eta / t^power

struct Epochs {
  Index most;                 // passes
  double tol;                 // -inf: never stop
  Index patience;
  Schedule schedule;
  double eta, alpha, power;
  bool adaptive;              // eta / 5 instead of a stop, down to 1e-6
  bool shuffled;
  std::uint32_t seed;
  std::vector<Index> held;    // rows that tell when to stop, and teach nothing
};

inline void shuffle(std::vector<Index>& order, std::uint32_t seed) {
  Index n = static_cast<Index>(order.size());
  for (Index i = 0; i + 1 < n; ++i) {
    if (seed == 0) seed = 1;
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
    std::swap(order[i], order[i + (seed & 0x7fffffffu) % static_cast<std::uint32_t>(n - i)]);
  }
}

template <class R>
class EpochRun {
 public:
  EpochRun(const R& X, std::size_t loss, const RowLoss& one, SgdRows rows, const SgdOptions& opt, SgdState& st, Epochs plan)
      : X_(X), loss_(loss), one_(one), rows_(rows), opt_(opt), st_(st), plan_(std::move(plan)) {}

  // after_pass(objective or accuracy) may throw; returns the passes made; false in `finite` where weights overflowed
  Index run(const std::function<void(double)>& after_pass, bool& finite) {
    start();
    double best = infinity<double>;
    Index waited = 0;
    for (Index pass = 1; pass <= plan_.most; ++pass) {
      double value = one_pass();
      finite = std::isfinite(*st_.b) && std::all_of(st_.W, st_.W + X_.d, [](double w) { return std::isfinite(w); });
      if (!finite) return pass;
      after_pass(value);
      if (!plan_.held.empty()) value = -value;
      waited = plan_.tol > -infinity<double> && value > best - plan_.tol ? waited + 1 : 0;
      best = std::min(best, value);
      if (waited < plan_.patience) continue;
      if (!plan_.adaptive || plan_.eta <= 1e-6) return pass;
      plan_.eta /= 5, waited = 0;
    }
    return plan_.most;
  }

 private:
  void start() {
    masked_.assign(X_.n, false);
    for (Index i : plan_.held) masked_[i] = true;
    if (plan_.shuffled || !plan_.held.empty()) {
      all_.resize(X_.n);
      std::iota(all_.begin(), all_.end(), Index{0});
    }
    for (Index j = 0; j < X_.d; ++j) st_.square += square(st_.W[j]), st_.absolute += std::abs(st_.W[j]);
  }

  double one_pass() {
    if (plan_.shuffled) shuffle(all_, plan_.seed);
    if (!plan_.held.empty()) {
      order_ = all_;
      std::erase_if(order_, [&](Index i) { return masked_[i]; });
    }
    const std::vector<Index>& order = plan_.held.empty() ? all_ : order_;
    rows_.order = order.empty() ? nullptr : order.data();
    rows_.count = X_.n - static_cast<Index>(plan_.held.size());
    st_.watched = 0;
    bool constant = rates();
    if (plain(loss_, opt_)) plain_pass(PlainRun<R>{X_, loss_, rows_, opt_, st_, nullptr, eta_.data(), constant});
    else SgdPass<R>(X_, 1, Judge{Heads::ovr, one_}, rows_, opt_, st_, nullptr).run(eta_.data(), constant);
    return plan_.held.empty() ? st_.watched / static_cast<double>(rows_.count) : accuracy();
  }

  bool rates() {
    bool constant = plan_.schedule == Schedule::constant;
    eta_.assign(constant ? 1 : rows_.count, plan_.eta);
    if (constant) return true;
    bool optimal = plan_.schedule == Schedule::optimal;
    double first = std::sqrt(1 / std::sqrt(plan_.alpha)), t0 = 1 / (first * plan_.alpha);  // Bottou's guess of a step
    for (Index k = 0; k < rows_.count; ++k) {
      double t = static_cast<double>(st_.t + k + 1);
      eta_[k] = optimal ? 1 / (plan_.alpha * (t0 + t - 1)) : plan_.eta / std::pow(t, plan_.power);
    }
    return false;
  }

  double accuracy() const {
    double right = 0, total = 0;
    for (Index i : plan_.held) {
      double s = rows_.s ? rows_.s[i] : 1.0;
      right += s * ((X_.dot(i, st_.W) + *st_.b > 0) == (rows_.y[i] > 0));
      total += s;
    }
    return right / total;
  }

  const R& X_;
  const std::size_t loss_;
  const RowLoss one_;
  SgdRows rows_;
  const SgdOptions& opt_;
  SgdState& st_;
  Epochs plan_;
  std::vector<Index> all_, order_;
  std::vector<bool> masked_;
  std::vector<double> eta_;
};

}  // namespace widemargin
