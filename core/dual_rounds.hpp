// Dual coordinate descent for a smooth convex loss with an L2 penalty of strength alpha, by many hands.
//   w = sum_i p_i a_i y_i x_i / alpha;  b = centre + B^2 sum p a y / alpha, a bias feature of value B about a centre
// Rows are visited in shuffled buckets of adjacent rows.  In a round every part of the rows moves its own copy of w;
// then the moves e are added, times the t that the ascents prove: D(a + t da) - D(a) >= t G - t^2 alpha |sum e|^2 / 2
// with G = sum over parts of (ascent + alpha |e|^2 / 2).  Hsieh et al. 2008; Ma et al. 2015; Ioannou et al. 2019.
// Parts and rounds are the caller's, from counts: how many threads there are changes no bit.
#pragma once
#include "dual_step.hpp"
#include "heads.hpp"
#include "pool.hpp"

namespace widemargin {

struct DualRounds {
  const double *y, *s, *o;
  int offset_columns;
  double inverse_weight;
  const double* sqnorms;  // (n,)
  const Index* order;     // buckets as they are visited, those of the first part first
  Index count, bucket;    // buckets, and rows in each
  int parts;
  Index rounds;
  double alpha, bias_sq;
};

struct DualPoint {
  double *W, *b, *a;  // (d, K), (K,), (n, K)
};

struct DualTally {
  double change = 0;           // largest |change of a margin by its own step|
  double gap = 0;              // sum of the rows' shares of P - D when they were met, about
  double least = 1;            // smallest t of a merge
  std::vector<double> ascent;  // (K,) at least
};

// One pair of hands: buckets of rows, on one copy of (W, b).
template <class L, class R>
class DualSweep {
 public:
  DualSweep(const R& X, int K, const DualRounds& job, double* a) : X_(X), K_(K), job_(job), a_(a), f_(K), c_(K) {}

  void run(Index lo, Index hi, double* W, double* b, DualTally& tally) {
    tally.ascent.assign(K_, 0.0);
    for (Index at = lo; at < hi; ++at) {
      Index first = job_.order[at] * job_.bucket, last = std::min(X_.n, first + job_.bucket);
      if (at + 1 < hi) X_.prefetch(job_.order[at + 1] * job_.bucket);
      for (Index i = first; i < last; ++i) visit(i, W, b, tally);
    }
  }

 private:
  void visit(Index i, double* W, double* b, DualTally& tally) {
    double p = job_.inverse_weight * (job_.s ? job_.s[i] : 1.0);
    if (p == 0) return;
    double q = p * (job_.sqnorms[i] + job_.bias_sq) / job_.alpha;
    scores(X_, i, W, K_, f_.data());
    bool moved = false;
    for (int k = 0; k < K_; ++k) {
      double o = job_.o ? (job_.offset_columns == 1 ? job_.o[i] : job_.o[i * K_ + k]) : 0.0;
      double sign = sign_of(job_.y[i], k, K_), z = sign * (f_[k] + b[k] + o), &a = a_[i * K_ + k];
      DualStep to = dual_step<L>(a, z, q);
      double step = to.a - a, h = std::max(to.curvature, 1e-300);
      a = to.a;
      c_[k] = p * step * sign / job_.alpha;
      b[k] += job_.bias_sq * c_[k];
      tally.ascent[k] += 0.5 * p * (q + 1 / L::meta.curvature) * step * step;
      // l is h-curved: the step is the residual over 1 + q h, the gap half its square over h
      tally.gap += 0.5 * p * square(step * (1 + q * h)) / h;
      tally.change = std::max(tally.change, std::abs(step) * q);
      moved = moved || step != 0;
    }
    if (moved) add(X_, i, c_.data(), K_, W);
  }

  const R& X_;
  int K_;
  const DualRounds& job_;
  double* a_;
  std::vector<double> f_, c_;
};

// Many: a copy of w for each part, and the merge of what they did.
template <class L, class R>
class DualTeam {
 public:
  DualTeam(const R& X, int K, const DualRounds& job, const DualPoint& at, int threads)
      : X_(X), K_(K), job_(job), at_(at), threads_(threads), width_((X.d + 1) * K), w_(width_), sum_(width_),
        copies_(job.parts, std::vector<double>(width_)), before_(at.a, at.a + X.n * K), t_(K) {
    std::copy_n(at.W, X.d * K, w_.data());
    std::copy_n(at.b, K, w_.data() + X.d * K);
  }

  DualTally run(Index first, Index last) {
    DualTally all;
    std::vector<DualTally> each(job_.parts);
    for (Index round = first; round < last; ++round) {
      each.assign(job_.parts, DualTally{});
      Pools::run(threads_, job_.parts, [&](Index part) { sweep(part, round, each[part]); });
      for (auto& tally : each) {
        all.change = std::max(all.change, tally.change);
        all.gap += tally.gap;
      }
      lengths(each);
      double least = *std::min_element(t_.begin(), t_.end());
      if (least < 1) shorten(round);
      std::swap(w_, sum_);
      all.least = std::min(all.least, least);
    }
    std::copy_n(w_.data(), X_.d * K_, at_.W);
    std::copy_n(w_.data() + X_.d * K_, K_, at_.b);
    return all;
  }

 private:
  static constexpr Index piece = 1 << 14;  // numbers of w that one task merges

  Index lower(Index part, Index round) const {
    Index lo = job_.count * part / job_.parts, hi = job_.count * (part + 1) / job_.parts;
    return lo + (hi - lo) * round / job_.rounds;
  }

  void sweep(Index part, Index round, DualTally& tally) {
    auto& copy = copies_[part];
    std::copy(w_.begin(), w_.end(), copy.begin());
    DualSweep<L, R> hands(X_, K_, job_, at_.a);
    hands.run(lower(part, round), lower(part, round + 1), copy.data(), copy.data() + X_.d * K_, tally);
  }

  // sum_ = w + all moves; |sum e|^2 and sum |e|^2 per head, and from them t
  void lengths(const std::vector<DualTally>& each) {
    Index rows = std::max<Index>(1, piece / K_), pieces = (X_.d + rows) / rows;
    std::vector<double> squares(pieces * 2 * K_, 0.0);
    Pools::run(width_ > 2 * piece ? threads_ : 1, pieces, [&](Index at) {
      Index last = std::min(X_.d + 1, (at + 1) * rows);
      for (Index j = at * rows; j < last; ++j) add_moves(j, squares.data() + at * 2 * K_);
    });
    for (int k = 0; k < K_; ++k) {
      double together = 0, apart = 0, ascent = 0;
      for (Index at = 0; at < pieces; ++at) {
        together += squares[(2 * at) * K_ + k];
        apart += squares[(2 * at + 1) * K_ + k];
      }
      for (auto& tally : each) ascent += tally.ascent[k];
      double proved = ascent / job_.alpha + 0.5 * apart;
      t_[k] = proved < together ? proved / together : 1.0;
    }
  }

  void add_moves(Index j, double* squares) {
    double unit = j < X_.d ? 1.0 : (job_.bias_sq > 0 ? 1 / job_.bias_sq : 0.0);  // b moves as a weight of value B
    for (int k = 0; k < K_; ++k) {
      double w = w_[j * K_ + k], together = 0, apart = 0;
      for (auto& copy : copies_) {
        double e = copy[j * K_ + k] - w;
        together += e;
        apart += e * e;
      }
      sum_[j * K_ + k] = w + together;
      squares[k] += unit * together * together;
      squares[K_ + k] += unit * apart;
    }
  }

  // only t of the way: in w, and in the a of the rows of this round, each of which is met once in a sweep
  void shorten(Index round) {
    for (Index j = 0; j <= X_.d; ++j)
      for (int k = 0; k < K_; ++k) {
        Index at = j * K_ + k;
        sum_[at] = w_[at] + t_[k] * (sum_[at] - w_[at]);
      }
    for (Index part = 0; part < job_.parts; ++part)
      for (Index at = lower(part, round); at < lower(part, round + 1); ++at) {
        Index first = job_.order[at] * job_.bucket, last = std::min(X_.n, first + job_.bucket);
        for (Index i = first * K_; i < last * K_; ++i) at_.a[i] = before_[i] + t_[i % K_] * (at_.a[i] - before_[i]);
      }
  }

  const R& X_;
  int K_;
  const DualRounds& job_;
  const DualPoint& at_;
  int threads_;
  Index width_;
  std::vector<double> w_, sum_;
  std::vector<std::vector<double>> copies_;
  std::vector<double> before_, t_;
};

// Rounds [first, last) of a sweep.
template <class L, class R>
DualTally dual_rounds(const R& X, int K, const DualRounds& job, const DualPoint& at, Index first, Index last, int threads) {
  if (job.parts > 1) return DualTeam<L, R>(X, K, job, at, threads).run(first, last);
  DualTally tally;
  DualSweep<L, R> hands(X, K, job, at.a);
  hands.run(job.count * first / job.rounds, job.count * last / job.rounds, at.W, at.b, tally);
  return tally;
}

}  // namespace widemargin
