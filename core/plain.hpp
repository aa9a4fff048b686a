// The common stochastic pass: one margin a row, one row at a time, L2 at most.  The same steps as SgdPass, in registers.
//   w <- (1 - eta l2) w + c x,  b <- b + r c,  c = -eta s l'(z) y, or the implicit step's
// w = scale v, and v stays where its cache lines begin.  Where every row moves w, the next row's score is begun
// before this row's step is known:  <x', w + c x> = <x', w> + c <x', x>,  so that a row waits for l' alone.
#pragma once
#include <memory>

#include "judge.hpp"
#include "plain_pass.hpp"

namespace widemargin {

// w = scale v
struct Weights {
  double* v;
  Index d;
  double scale = 1, inverse = 1;

  // w <- factor w; true where v had to take the scale in
  bool shrink(double factor) {
    scale *= factor;
    bool tiny = !(scale > 1e-9);  // a long step turns the sign
    if (tiny) {
      for (Index j = 0; j < d; ++j) v[j] *= scale;
      scale = 1;
    }
    inverse = 1 / scale;
    return tiny;
  }
};

template <class R, class L>
class PlainPass {
 public:
  explicit PlainPass(const PlainRun<R>& r)
      : X_(r.X), rows_(r.rows), st_(r.st), steps_(r.steps), eta_(r.eta), constant_(r.constant),
        opt_(r.opt), shrinks_(r.opt.l2 > 0), bias_(r.opt.intercept ? r.opt.intercept_rate : 0) {}

  [[gnu::flatten]] void run() {
    std::vector<double> room;
    Weights w{R::dense ? aligned(room) : st_.W, X_.d};
    walk(w);
    if (R::dense || w.scale != 1)
      for (Index j = 0; j < X_.d; ++j) st_.W[j] = w.scale * w.v[j];
    st_.t += rows_.count;
  }

 private:
  static constexpr Index line = 8;         // doubles in a cache line
  static constexpr Index short_row = 512;  // longer rows take more time than waiting for l' does
  static constexpr bool always_moves = L::meta.threshold == infinity<double>;

  Index row(Index at) const { return rows_.order ? rows_.order[at] : at; }
  double rate(Index at) const { return eta_[constant_ ? 0 : at]; }
  double weight(Index i) const { return rows_.s ? rows_.s[i] / rows_.mean_weight : 1.0; }
  double offset(Index i) const { return rows_.o ? rows_.o[i] : 0.0; }

  // a copy of the weights that begins with a cache line: most stores would straddle two
  double* aligned(std::vector<double>& room) const {
    room.resize(X_.d + line);
    void* start = room.data();
    std::size_t size = X_.d * sizeof(double), space = room.size() * sizeof(double);
    double* v = static_cast<double*>(std::align(line * sizeof(double), size, start, space));
    std::copy(st_.W, st_.W + X_.d, v);
    return v;
  }

  // the record of steps: it changes nothing
  void take(Index at, double before, double after) const {
    steps_->take(st_.t + at + 1, rows_.first + row(at), before, after, rate(at));
  }

  void walk(Weights& w) {
    if constexpr (R::dense && always_moves) {
      if (X_.d <= short_row && !opt_.implicit) return looking_ahead(w);
    }
    one_by_one(w);
  }

  // Copies, here and below: the compiler keeps in registers what nothing stored into v can change.
  void one_by_one(Weights& moving) {
    Weights w = moving;
    const SgdOptions opt = opt_;
    const bool implicit = opt.implicit, shrinks = shrinks_, passive = opt.passive != Passive::no;
    const bool watch = opt.watch, measures = watch && opt.watch_penalty();
    double b = *st_.b, watched = 0, norm = st_.square;
    Index mistakes = 0, updates = 0;
    for (Index at = 0; at < rows_.count; ++at) {
      fetch(X_, rows_, at);
      Index i = row(at);
      double rate = this->rate(at), s = weight(i), y = rows_.y[i];
      if (implicit && shrinks) w.shrink(1 / (1 + rate * opt.l2));
      double z = y * (w.scale * X_.dot(i, w.v) + b + offset(i)), slope = L::d1(z);
      mistakes += (z <= 0) & (s > 0);
      if (watch) watched += L::value(z) + opt.penalty(norm, 0);
      if (passive && shrinks && X_.sqnorm(i) == 0) continue;  // PA-I has no step for x = 0
      if (!implicit && shrinks) {
        double factor = std::max(opt.least_shrink, 1 - rate * opt.l2);
        w.shrink(factor), norm *= square(factor);
      }
      double c = 0;
      if (slope != 0 && s != 0) {  // also at rate = inf
        c = -rate * s * y * std::clamp(slope, -opt.steepest, opt.steepest);
        if (implicit) c = y * coefficient(row_loss<L>(), z, {rate * s, X_.sqnorm(i) + bias_, true, opt.steepest});
        if (passive) c = y * s * coefficient(row_loss<L>(), z, {rate, X_.sqnorm(i), true, opt.steepest});
        updates += c != 0;
        b += bias_ * c;
        if (measures) norm = square(w.scale) * X_.axpy_square(i, c * w.inverse, w.v);
        else X_.axpy(i, c * w.inverse, w.v);
      }
      if (steps_ && steps_->wants(c != 0)) take(at, z, y * (w.scale * X_.dot(i, w.v) + b + offset(i)));
    }
    moving = w, *st_.b = b;
    st_.watched += watched, st_.square = norm;
    st_.mistakes = mistakes, st_.updates = updates;
  }

  // `moved` is the row whose step c is still to be made; score is <here, v> without it, and <here, moved>.
  void looking_ahead(Weights& moving) {
    if (rows_.count == 0) return;
    const auto& kernels = dense_kernels<typename R::Value>();
    const auto& weights = dense_kernels<double>();
    std::vector<typename R::Value> rooms[3];  // for rows that do not lie as a kernel takes them
    const auto *here = X_.row(row(0), rooms[0]), *moved = here;
    Weights w = moving;
    double score[2] = {kernels.dot(here, w.v, w.d), 0}, b = *st_.b, c = 0, step = 0, watched = 0;
    const SgdOptions opt = opt_;
    const bool watch = opt.watch, measures = watch && opt.watch_penalty();
    Index mistakes = 0, updates = 0;
    for (Index at = 0; at < rows_.count; ++at) {
      fetch(X_, rows_, at);
      Index i = row(at);
      double rate = this->rate(at), s = weight(i), y = rows_.y[i];
      double z = y * (w.scale * score[0] + b + offset(i)) + c * (y * (score[1] + bias_));
      b += bias_ * c;
      const auto* next = at + 1 < rows_.count ? X_.row(row(at + 1), rooms[(at + 1) % 3]) : here;
      kernels.step_ahead(step, moved, w.v, next, here, w.d, score);
      mistakes += (z <= 0) & (s > 0);
      if (watch) watched += L::value(z) + (measures ? opt.penalty(square(w.scale) * weights.sqnorm(w.v, w.d), 0) : 0);
      double before = w.scale, factor = std::max(opt.least_shrink, 1 - rate * opt.l2);
      if (shrinks_ && w.shrink(factor)) score[0] *= before * factor;
      double slope = std::clamp(L::d1(z), -opt.steepest, opt.steepest), gain = -rate * s * y;
      c = slope == 0 || s == 0 ? 0 : gain * slope;
      updates += c != 0;
      step = c * w.inverse;
      if (steps_ && steps_->wants(c != 0)) {
        double after = w.scale * kernels.dot(here, w.v, w.d) + c * kernels.sqnorm(here, w.d);
        take(at, z, y * (after + b + bias_ * c + offset(i)));
      }
      moved = here, here = next;
    }
    kernels.axpy(step, moved, w.v, w.d);
    moving = w, *st_.b = b + bias_ * c;
    st_.watched += watched;
    st_.mistakes = mistakes, st_.updates = updates;
  }

  const R X_;
  const SgdRows rows_;
  SgdState& st_;
  Steps* const steps_;
  const double* eta_;
  const bool constant_;
  const SgdOptions opt_;
  const bool shrinks_;
  const double bias_;
};

template <class R>
void plain_pass(const PlainRun<R>& run) {
  Losses::visit(run.loss, [&]<class L>(L) { PlainPass<R, L>(run).run(); });
}

}  // namespace widemargin
