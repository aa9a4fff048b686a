// Coordinate descent on a quadratic model with L1 and L2 terms and bounds, the intercept at its best throughout:
//   min_{d, t}  g.d + R t + ||Z d + s t||^2 / 2 + sum_j l1_j |w_j + d_j| + l2_j (w_j + d_j)^2 / 2,   lower <= w + d <= upper
// Friedman, Hastie, Tibshirani 2010.  Extrapolated (Anderson 1965) as in Bertrand, Massias 2021.
// `cd_gram` holds H = Z'Z; `cd_columns` walks the columns of Z and keeps tau = Z d.
#pragma once
#include <vector>

#include "cholesky.hpp"
#include "math.hpp"
#include "rows.hpp"

namespace widemargin {

// What holds a coordinate: strengths, and bounds where there are any.
struct Held {
  const double *l1, *l2;
  const double *lower = nullptr, *upper = nullptr;
};

// the coordinate's new value; `slope` is the model's at its current value w, `h` its curvature
inline double coordinate_step(double w, double slope, double h, const Held& held, Index j) {
  double l1 = held.l1[j], total = h + held.l2[j], next = w;
  if (total > 0) next = soft_threshold(h * w - slope, l1) / total;
  else if (std::abs(slope) <= l1) next = 0;  // nothing but the penalty pulls
  if (held.lower) next = std::max(next, held.lower[j]);
  if (held.upper) next = std::min(next, held.upper[j]);
  return next;
}

// a column that the intercept can stand for has no curvature of its own, only rounding
inline double centred(double hess, double on_b, double total) {
  double h = hess - on_b * on_b / total;
  return h > 1e-13 * hess ? h : 0;
}

struct Progress {
  double worst = 0;    // violation of the optimality conditions met in the last sweep over all coordinates
  double touched = 0;  // values
  bool done = false;
};

// The extrapolation of a sequence w_0 ... w_K: sum c_k w_k with sum c = 1 and |sum c_k (w_{k+1} - w_k)| least.
class Anderson {
 public:
  static constexpr int K = 5;

  void forget() { points_.clear(); }

  // takes w on the active coordinates; true when there are enough points, and then `out` is the extrapolation
  bool take(const std::vector<double>& w, std::vector<double>& out) {
    if (!points_.empty() && points_.front().size() != w.size()) forget();
    points_.push_back(w);
    if (points_.size() <= K) return false;
    std::vector<double> G(K * K), ones(K, 1.0), c(K);
    for (int a = 0; a < K; ++a)
      for (int b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t j = 0; j < w.size(); ++j)
          sum += (points_[a + 1][j] - points_[a][j]) * (points_[b + 1][j] - points_[b][j]);
        G[a * K + b] = G[b * K + a] = sum;
      }
    double ridge = 0, total = 0;
    for (int a = 0; a < K; ++a) ridge += 1e-12 * G[a * K + a];
    for (int a = 0; a < K; ++a) G[a * K + a] += ridge;
    bool found = solve_positive(G.data(), ones.data(), K, c.data());
    for (double v : c) total += v;
    if (found && std::isfinite(total) && total != 0) {
      out.assign(w.size(), 0.0);
      for (int a = 0; a < K; ++a)
        for (std::size_t j = 0; j < w.size(); ++j) out[j] += c[a] / total * points_[a + 1][j];
    } else {
      found = false;
    }
    forget();
    return found;
  }

 private:
  std::vector<std::vector<double>> points_;
};

// The model whose H is at hand, intercept eliminated or one of the coordinates; r = H d + g is kept up to date.
inline Progress cd_gram(const double* H, Index m, const Held& held, double* w, double* r, double tolerance,
                        double work) {
  Progress p;
  std::vector<Index> active;
  auto sweep = [&](Index count, const Index* order) {
    double worst = 0;
    for (Index at = 0; at < count; ++at) {
      Index j = order ? order[at] : at;
      const double* column = H + j * m;
      double next = coordinate_step(w[j], r[j], column[j], held, j), step = next - w[j];
      ++p.touched;
      if (step == 0) continue;
      w[j] = next;
      dense_kernels<double>().axpy(step, column, r, m);
      p.touched += static_cast<double>(m);
      worst = std::max(worst, (column[j] + held.l2[j]) * std::abs(step));
    }
    return worst;
  };
  while (p.touched < work) {
    p.worst = sweep(m, nullptr);
    if ((p.done = p.worst <= tolerance)) break;
    active.clear();
    for (Index j = 0; j < m; ++j)
      if (w[j] != 0) active.push_back(j);
    for (int k = 0; k < 50 && p.touched < work; ++k)
      if (sweep(static_cast<Index>(active.size()), active.data()) <= std::max(0.3 * tolerance, 0.1 * p.worst)) break;
  }
  return p;
}

// The intercept: its slope R at the model's centre b, and what holds it.  Free ones are eliminated.
struct InterceptModel {
  enum Kind { none, free, penalised } kind;
  double R, b, l1, l2;
};

struct ColumnModel {
  const double* root;             // (n,) sqrt(h): the intercept's column s
  const double *g, *hess, *on_b;  // per column: slope at the model's centre, |z|^2, z.s
  Held held;
  InterceptModel b;
};

struct ColumnPoint {
  double *w, *tau;
  double shift;  // t: tau does not hold it
};

template <class R>
class ColumnDescent {
 public:
  ColumnDescent(const R& Z, const ColumnModel& model, ColumnPoint& at) : Z_(Z), m_(model), at_(at) {
    for (Index j = 0; j < Z.n; ++j) all_.push_back(j);
    for (Index i = 0; i < Z.d; ++i) square_ += m_.root[i] * m_.root[i];
    if (m_.b.kind == InterceptModel::free) total_ = square_;
  }

  // Until no coordinate of a whole sweep violates its condition by more than `tolerance`, or so much work is done.
  Progress run(double tolerance, double work) {
    while (p_.touched < work) {
      p_.worst = sweep(all_);
      if ((p_.done = p_.worst <= tolerance)) break;
      active_.clear();
      for (Index j : all_)
        if (at_.w[j] != 0) active_.push_back(j);
      anderson_.forget();
      double goal = std::max(0.3 * tolerance, 0.1 * p_.worst);
      for (int k = 0; k < 50 && p_.touched < work; ++k) {
        if (sweep(active_) <= goal) break;
        extrapolate();
      }
    }
    return p_;
  }

 private:
  double sweep(const std::vector<Index>& order) {
    double worst = m_.b.kind == InterceptModel::penalised ? intercept_step() : 0;
    for (Index j : order) {
      double h = total_ > 0 ? centred(m_.hess[j], m_.on_b[j], total_) : m_.hess[j];
      double slope = m_.g[j] + Z_.dot(j, at_.tau) + at_.shift * m_.on_b[j];
      double next = coordinate_step(at_.w[j], slope, h, m_.held, j), step = next - at_.w[j];
      p_.touched += static_cast<double>(Z_.count(j));
      if (step == 0) continue;
      at_.w[j] = next;
      Z_.axpy(j, step, at_.tau);
      if (total_ > 0) at_.shift -= step * m_.on_b[j] / total_;
      worst = std::max(worst, (h + m_.held.l2[j]) * std::abs(step));
    }
    return worst;
  }

  double intercept_step() {
    double slope = m_.b.R + at_.shift * square_;
    for (Index i = 0; i < Z_.d; ++i) slope += m_.root[i] * at_.tau[i];
    Held held{&m_.b.l1, &m_.b.l2};
    double b = m_.b.b + at_.shift, step = coordinate_step(b, slope, square_, held, 0) - b;
    at_.shift += step;
    return (square_ + m_.b.l2) * std::abs(step);
  }

  // To the extrapolated point if the model is lower there.
  void extrapolate() {
    now_.clear();
    for (Index j : active_) now_.push_back(at_.w[j]);
    if (!anderson_.take(now_, next_)) return;
    Index n = Z_.d;
    move_.assign(n, 0.0);
    double change = 0, on_b = 0, along = 0, across = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Index j = active_[k];
      if (m_.held.lower) next_[k] = std::max(next_[k], m_.held.lower[j]);
      if (m_.held.upper) next_[k] = std::min(next_[k], m_.held.upper[j]);
      double w = now_[k], v = next_[k], step = v - w;
      Z_.axpy(j, step, move_.data());
      on_b += step * m_.on_b[j];
      change += step * (m_.g[j] + at_.shift * m_.on_b[j]) + m_.held.l1[j] * (std::abs(v) - std::abs(w)) +
                0.5 * m_.held.l2[j] * (v - w) * (v + w);
      p_.touched += static_cast<double>(Z_.count(j));
    }
    for (Index i = 0; i < n; ++i) along += move_[i] * at_.tau[i], across += move_[i] * move_[i];
    if (total_ > 0) across -= on_b * on_b / total_;
    if (!(change + along + 0.5 * across < 0)) return;
    for (std::size_t k = 0; k < active_.size(); ++k) at_.w[active_[k]] = next_[k];
    for (Index i = 0; i < n; ++i) at_.tau[i] += move_[i];
    if (total_ > 0) at_.shift -= on_b / total_;
  }

  const R& Z_;
  const ColumnModel& m_;
  ColumnPoint& at_;
  double square_ = 0, total_ = 0;  // |s|^2; the same where the intercept is eliminated, else 0
  Progress p_;
  Anderson anderson_;
  std::vector<Index> all_, active_;
  std::vector<double> now_, next_, move_;
};

}  // namespace widemargin
