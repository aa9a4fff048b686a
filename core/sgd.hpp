// One pass of stochastic (sub)gradient steps over rows in a given order.
//   w <- (1 - eta l2) w - eta s l'(z) y x,  then  w <- soft(w, eta l1),  b <- b - eta s l'(z) y
// Robbins, Monro 1951; proximal form: Duchi, Singer 2009.  Perceptron, Pegasos and PA are cases of it.
// Cost per row is its non-zeros: w = scale * v, and each coordinate catches up with the L1 steps it missed
// when it is next touched (soft(soft(v, a), b) = soft(v, a + b): nothing is approximated).
// Cumulative L1 takes from a row's columns what is due in total and not paid yet, and never changes a sign.
// Average of all iterates: sum_k s_k v_k = A v - u with A = sum_k s_k and u = sum_j A_(j-1) dv_j.
#pragma once
#include "judge.hpp"
#include "pass.hpp"
#include "steps.hpp"

namespace widemargin {

template <class R>
class SgdPass {
 public:
  SgdPass(const R& X, int K, const Judge& judge, const SgdRows& rows, const SgdOptions& options, SgdState& state,
          Steps* steps)
      : X_(X), K_(K), judge_(judge), rows_(rows), opt_(options), lazy_(options.l1 > 0 && !options.cumulative), st_(state),
        steps_(steps), f_(K_),
        c_(K_ * options.batch), seen_rows_(options.batch), seen_(lazy_ ? X.d : 0), u_(state.sum_W ? X.d * K_ : 0) {}

  // eta: one step size for all, or one per step
  void run(const double* eta, bool constant) {
    for (Index start = 0, k = 0; start < rows_.count; start += opt_.batch, ++k)
      batch(start, std::min(start + opt_.batch, rows_.count), eta[constant ? 0 : k]);
    settle();
  }

 private:
  Index row(Index at) const { return rows_.order ? rows_.order[at] : at; }

  void batch(Index lo, Index hi, double eta) {
    if (rows_.order)
      for (Index at = lo; at < hi; ++at) {
        fetch(X_, rows_, at);
      }
    if (opt_.implicit && opt_.l2 > 0) shrink(1 / (1 + eta * opt_.l2));  // its own step, then the rows' at the shrunk w
    for (Index at = lo; at < hi; ++at) look(at - lo, row(at), eta / static_cast<double>(hi - lo));
    if (opt_.passive == Passive::first && X_.sqnorm(row(lo)) == 0) return;  // PA-I has no step for x = 0
    if (!opt_.implicit && opt_.l2 > 0) shrink(std::max(opt_.least_shrink, 1 - eta * opt_.l2));
    for (Index at = lo; at < hi; ++at) move(at - lo, row(at));
    ++st_.t;
    if (lazy_) {
      due_ += eta * opt_.l1 / scale_;
      if (averaging()) catch_up_all();  // what enters an average must be up to date
    }
    if (averaging()) {
      A_ += scale_;
      ++st_.averaged;
      for (int k = 0; k < K_; ++k) st_.sum_b[k] += st_.b[k];
    }
    if (opt_.cumulative) {
      st_.due += eta * opt_.l1;
      for (Index at = lo; at < hi; ++at) collect(row(at));
    }
    if (steps_)
      for (Index at = lo; at < hi; ++at)
        if (steps_->wants(seen_rows_[at - lo].changed)) record(at - lo, row(at), eta);
  }

  // the scores of a row at the current w, and its coefficients
  void look(Index at, Index i, double rate) {
    double* c = c_.data() + at * K_;
    if (lazy_) X_.each(i, [&](Index j, double) { catch_up(j); });
    score(i);
    double weight = rows_.s ? rows_.s[i] / rows_.mean_weight : 1.0;
    double z = judge_.step(f_.data(), rows_.y[i], K_, rule(i, rate, weight), c);
    if (opt_.passive != Passive::no)
      for (int k = 0; k < K_; ++k) c[k] *= weight;
    if (weight == 0) std::fill(c, c + K_, 0.0);
    if (opt_.watch) st_.watched += judge_.loss.value(z) + opt_.penalty(st_.square, st_.absolute);
    if (z <= 0 && weight > 0) {
      ++st_.mistakes;
      if (opt_.pocket) keep_if_longest();
      st_.run = 0;
    } else {
      ++st_.run;
    }
    seen_rows_[at] = {z, std::any_of(c, c + K_, [](double v) { return v != 0; })};
  }

  StepRule rule(Index i, double rate, double weight) const {
    if (opt_.passive == Passive::no) {
      double norm = opt_.implicit ? X_.sqnorm(i) + (opt_.intercept ? opt_.intercept_rate : 0.0) : 0.0;
      return {rate * weight, norm, opt_.implicit, opt_.steepest};
    }
    double norm = X_.sqnorm(i);
    return {rate, norm, norm > 0, opt_.steepest};
  }

  void score(Index i) {
    scores(X_, i, st_.W, K_, f_.data());
    for (int k = 0; k < K_; ++k) {
      f_[k] = scale_ * f_[k] + st_.b[k];
      if (rows_.o) f_[k] += rows_.offset_columns == 1 ? rows_.o[i] : rows_.o[i * K_ + k];
    }
  }

  void move(Index at, Index i) {
    if (!seen_rows_[at].changed) return;
    double* c = c_.data() + at * K_;
    ++st_.updates;
    if (opt_.intercept)
      for (int k = 0; k < K_; ++k) st_.b[k] += opt_.intercept_rate * c[k];
    for (int k = 0; k < K_; ++k) c[k] /= scale_;
    add(X_, i, c, K_, st_.W);
    if (opt_.watch_penalty()) measure(i);
    if (A_ > 0) {
      for (int k = 0; k < K_; ++k) c[k] *= A_;
      add(X_, i, c, K_, u_.data());
    }
  }

  void measure(Index i) {
    Norms found = X_.norms_at(i, st_.W);
    st_.square = square(scale_) * found.square, st_.absolute = scale_ * found.absolute;
  }

  // the margin before and after the whole step
  void record(Index at, Index i, double eta) {
    if (lazy_) X_.each(i, [&](Index j, double) { catch_up(j); });
    score(i);
    steps_->take(st_.t, rows_.first + i, seen_rows_[at].margin, judge_.margin(f_.data(), rows_.y[i], K_), eta);
  }

  void shrink(double factor) {
    scale_ *= factor;
    st_.square *= square(factor), st_.absolute *= std::abs(factor);
    if (scale_ <= (A_ > 0 ? 1e-3 : 1e-9)) settle();  // an average loses digits sooner; a long step turns the sign
  }

  bool averaging() const { return opt_.average_from >= 0 && st_.t >= opt_.average_from; }

  void catch_up(Index j) {
    double missed = due_ - seen_[j];
    if (missed <= 0) return;
    seen_[j] = due_;
    for (int k = 0; k < K_; ++k) {
      double& v = st_.W[j * K_ + k];
      double next = soft_threshold(v, missed);
      if (A_ > 0) u_[j * K_ + k] += A_ * (next - v);
      v = next;
    }
  }

  // As in scikit-learn, an average takes it for a change of all iterates, those of earlier passes too.
  void collect(Index i) {
    double *w = st_.W, *got = st_.paid, *sums = st_.past > 0 ? st_.sum_W : nullptr;
    const double due = st_.due, scale = scale_, inverse = 1 / scale_, past = st_.past;
    X_.each(i, [=](Index j, double) {
      double v = w[j];
      if (!R::dense && v == 0) return;  // most are, and what they paid need not be fetched
      double paid = got[j], sign = std::copysign(1.0, v);
      double after = sign * std::max(std::abs(v) - (due + sign * paid) * inverse, 0.0) + 0.0;  // never -0
      w[j] = after, got[j] = paid + scale * (after - v);
      if (sums) sums[j] += past * (after - v);
    });
  }

  void catch_up_all() {
    for (Index j = 0; j < X_.d; ++j) catch_up(j);
  }

  // w = scale * v with scale 1 again, nothing missed, averages written out
  void settle() {
    Index size = X_.d * K_;
    st_.past = scale_ == 0 ? 0 : (st_.past + A_) / scale_;
    if (lazy_) {
      catch_up_all();
      std::fill(seen_.begin(), seen_.end(), 0.0);
      due_ = 0;
    }
    if (A_ > 0) {
      for (Index j = 0; j < size; ++j) st_.sum_W[j] += A_ * st_.W[j] - u_[j];
      std::fill(u_.begin(), u_.end(), 0.0);
      A_ = 0;
    }
    if (scale_ != 1)
      for (Index j = 0; j < size; ++j) st_.W[j] *= scale_;
    scale_ = 1;
  }

  // Gallant 1990: the weights with the longest run of right answers
  void keep_if_longest() {
    if (st_.run <= st_.pocket_run) return;
    st_.pocket_run = st_.run;
    for (Index j = 0; j < X_.d * K_; ++j) st_.pocket_W[j] = scale_ * st_.W[j];
    std::copy(st_.b, st_.b + K_, st_.pocket_b);
  }

  const R& X_;
  int K_;
  const Judge judge_;
  const SgdRows& rows_;
  const SgdOptions& opt_;
  const bool lazy_;  // L1 by proximal steps
  SgdState& st_;
  Steps* steps_;
  struct Seen {
    double margin;
    bool changed;
  };
  std::vector<double> f_, c_;
  std::vector<Seen> seen_rows_;
  std::vector<double> seen_, u_;
  double scale_ = 1, due_ = 0, A_ = 0;
};

}  // namespace widemargin
