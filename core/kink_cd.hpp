// max_a sum_i p_i a_i h_i - alpha/2 |w|^2, 0 <= a <= 1, w = sum_i p_i a_i y_i x_i / alpha: the dual of
//   alpha/2 |w|^2 + sum_i p_i (h_i - y_i (w.x_i + b))_+, the losses with one kink; h = threshold - y o.
// One row at a time: a <- clip(a - G / q, 0, 1), G = y (w.x + b) - h, q = p (|x|^2 + B^2) / alpha.
// Hsieh et al. 2008, with their shrinking.  A row adds p ((-G)_+ + a G) to the duality gap, so a sweep knows the gap
// that its rows had when it met them, and every step knows what it adds to the dual objective.
//
// e = sum p a y is to be 0 for a free b, alpha b for a penalised one: the method of multipliers (Hestenes 1969; Powell
// 1969), b = c / (1 + B^2 [penalised]) + B^2 e / alpha, whose centre c moves to b after every sweep.  B^2 is small
// beside |x|^2: were it not, all rows would share one stiff direction along which single steps crawl.
#pragma once
#include <algorithm>
#include <cmath>

#include "math.hpp"
#include "rows.hpp"

namespace widemargin {

struct KinkRows {
  const double *y, *p, *h, *sqnorms;
  double alpha, bias_sq;
  double keep, drag;  // of the centre: 1, 0 for a free b; 1 / (1 + B^2), alpha for a penalised one
};

// What a sweep needs to know of itself to go on where it stopped; the caller keeps it as an array.
struct KinkMarks {
  double at = 0;                                      // buckets done in this sweep
  double top = infinity<double>, low = -infinity<double>;  // extreme slopes of the last sweep: rows beyond are dropped
  double new_top = 0, new_low = 0;                    // of this one
  double gap = 0, met = 0;                            // so far in this sweep, and all of the last one
  double dual = 0, imbalance = 0;                     // sum p a h - alpha/2 |w|^2; e
  double sweeps = 0;
  double work = 0;                                    // stored values that may still be read
  double left = infinity<double>;                     // of the gap, to be expected after the last sweep
};

// splitmix64 (Steele et al. 2014): the order of a sweep comes from its number alone
struct Shuffler {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  Index below(Index n) {
    return static_cast<Index>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(n)) >> 64);
  }
};

template <class R>
class KinkDescent {
 public:
  KinkDescent(const R& X, const KinkRows& rows, double* w, double* b, double* a) : X_(X), rows_(rows), w_(w), b_(b), a_(a) {}

  // one row's exact step; false where the row may be left out of the next sweeps
  bool step(Index i, KinkMarks& m) {
    double p = rows_.p[i], y = rows_.y[i], a = a_[i];
    double G = y * (X_.dot(i, w_) + *b_) - rows_.h[i];
    m.gap += p * (std::max(0.0, -G) + a * G);
    if (a == 0 && G > 0) return G <= m.top;
    if (a == 1 && G < 0) return G >= m.low;
    m.new_top = std::max(m.new_top, G);
    m.new_low = std::min(m.new_low, G);
    double q = p * (rows_.sqnorms[i] + rows_.bias_sq) / rows_.alpha;
    double next = q > 0 ? std::clamp(a - G / q, 0.0, 1.0) : (G < 0 ? 1.0 : 0.0), change = next - a;
    if (change == 0) return true;
    double c = p * y * change;
    m.dual -= change * p * (G - y * *b_ + 0.5 * p * rows_.sqnorms[i] / rows_.alpha * change);
    m.imbalance += c;
    X_.axpy(i, c / rows_.alpha, w_);
    *b_ += rows_.bias_sq * c / rows_.alpha;
    a_[i] = next;
    return true;
  }

  // the centre moves, and what the sweep has met becomes what is known
  void end_sweep(KinkMarks& m) {
    double before = m.met;
    m.met = m.gap;
    if (rows_.bias_sq > 0) {
      m.met += std::abs(m.imbalance - rows_.drag * *b_);
      *b_ = rows_.keep * *b_ + rows_.bias_sq * m.imbalance / rows_.alpha;
    }
    m.left = m.met * (before > 0 ? std::clamp(m.met / before, 0.25, 1.0) : 1.0);
    m.at = m.gap = 0;
    m.top = m.new_top > 0 ? m.new_top : infinity<double>;
    m.low = m.new_low < 0 ? m.new_low : -infinity<double>;
    m.new_top = m.new_low = 0;
    ++m.sweeps;
  }

 private:
  const R& X_;
  const KinkRows& rows_;
  double *w_, *b_, *a_;
};

// When to come back, other than at the end of the work: when a sweep leaves a gap of about `aim` times the dual
// objective, or when fewer than `fewest` rows are left, so that the caller may gather them.
struct KinkLimits {
  double aim;
  Index fewest;
};

// The rows that sweeps still visit, in increasing order; they are walked in buckets of neighbours, which keeps memory
// streaming, and the buckets in random order.
struct KinkActive {
  std::int32_t *rows, *order;
  Index count;
  bool in_order;
  static constexpr Index bucket = 64;

  Index buckets() const { return (count + bucket - 1) / bucket; }
  Index row(Index at) const { return rows[at] < 0 ? ~rows[at] : rows[at]; }
  void drop(Index at) { rows[at] = ~rows[at]; }  // until the sweep is over, a mark only

  void shuffle(std::uint64_t seed) {
    Shuffler random{seed};
    Index n = buckets();
    for (Index k = 0; k < n; ++k) order[k] = static_cast<std::int32_t>(k);
    if (in_order) return;
    for (Index k = n - 1; k > 0; --k) std::swap(order[k], order[random.below(k + 1)]);
  }
  void compact() {
    Index kept = 0;
    for (Index at = 0; at < count; ++at)
      if (rows[at] >= 0) rows[kept++] = rows[at];
    count = kept;
  }
};

template <class R>
void visit_bucket(const R& X, KinkDescent<R>& descent, KinkActive& active, Index k, KinkMarks& m) {
  constexpr Index bucket = KinkActive::bucket;
  Index lo = active.order[k] * bucket, hi = std::min(lo + bucket, active.count);
  Index next = active.order[std::min(k + 1, active.buckets() - 1)] * bucket;
  for (Index at = lo; at < hi; ++at, ++next) {
    if (next < active.count) X.prefetch(active.row(next));
    Index i = active.rows[at];
    if (!descent.step(i, m)) active.drop(at);
    m.work -= static_cast<double>(X.count(i));
  }
}

template <class R>
void kink_sweeps(const R& X, const KinkRows& rows, KinkActive& active, std::uint64_t seed, KinkLimits limits, double* w,
                 double* b, double* a, KinkMarks& m) {
  KinkDescent<R> descent(X, rows, w, b, a);
  while (active.count > 0) {
    active.shuffle(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(m.sweeps));
    for (Index k = static_cast<Index>(m.at), buckets = active.buckets(); k < buckets;) {
      visit_bucket(X, descent, active, k, m);
      m.at = static_cast<double>(++k);
      if (m.work <= 0 && k < buckets) return;
    }
    active.compact();
    descent.end_sweep(m);
    if (m.left <= limits.aim * m.dual || m.work <= 0 || active.count < limits.fewest) return;
  }
}

}  // namespace widemargin
