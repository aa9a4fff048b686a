// One pass of adaptive steps: every weight has a rate of its own, and is a function of two sums over the rows so far.
//   n_j = sum g_j^2,   w_j = -soft(z_j, t l1) / (start + sqrt(n_j) / eta + t l2),   g = s l'(z) y x
// AdaGrad by dual averaging, z = sum g: Duchi, Hazan, Singer 2011, section 1.3; Xiao 2010.
// FTRL-proximal, z = sum g - sum (change of sqrt(n) / eta) w: McMahan et al. 2013.
// A row changes z and n where it is not 0, so that its cost is its non-zeros, whatever the penalty; b is a weight
// without a penalty whose feature is 1.
#pragma once
#include "dense/adaptive.hpp"
#include "judge.hpp"
#include "pass.hpp"

namespace widemargin {

struct AdaptiveOptions {
  double eta, start, l1, l2;
  bool proximal, intercept;
};

// Z, N: (K, d); zb, nb: (K,)
struct AdaptiveState {
  double *Z, *N, *zb, *nb;
  Index t, mistakes = 0, updates = 0;

  AdaptiveRates rates(const AdaptiveOptions& o) const {
    double steps = static_cast<double>(t);
    return {1 / o.eta, o.start, steps * o.l1, steps * o.l2};
  }
  static double intercept(double z, double n, const AdaptiveRates& r) { return -z / (r.start + r.slowness * std::sqrt(n)); }
};

template <class R>
class AdaptivePass {
 public:
  AdaptivePass(const R& X, int K, const Judge& judge, const SgdRows& rows, const AdaptiveOptions& options,
               AdaptiveState& state)
      : X_(X), K_(K), judge_(judge), rows_(rows), opt_(options), st_(state), f_(K), c_(K) {}

  void run() {
    for (Index at = 0; at < rows_.count; ++at) {
      if (rows_.order && at + ahead < rows_.count) X_.prefetch(rows_.order[at + ahead]);
      row(rows_.order ? rows_.order[at] : at);
      ++st_.t;
    }
  }

 private:
  static constexpr Index ahead = 8;

  void row(Index i) {
    AdaptiveRates r = st_.rates(opt_);
    take(i);
    for (int k = 0; k < K_; ++k) {
      double* w = w_.data() + k * m_;
      kernels_.weights(z(k), n(k), m_, r, w);
      f_[k] = dot(w) + (opt_.intercept ? st_.intercept(st_.zb[k], st_.nb[k], r) : 0.0);
      if (rows_.o) f_[k] += rows_.offset_columns == 1 ? rows_.o[i] : rows_.o[i * K_ + k];
    }
    double weight = rows_.s ? rows_.s[i] / rows_.mean_weight : 1.0;
    double margin = judge_.step(f_.data(), rows_.y[i], K_, StepRule{weight, 0.0, false, infinity<double>}, c_.data());
    st_.mistakes += margin <= 0 && weight > 0;
    bool moved = false;
    for (int k = 0; k < K_; ++k)
      if (weight != 0 && c_[k] != 0) move(k, -c_[k], r), moved = true;
    st_.updates += moved;
  }

  // what belongs to the row's columns: the sums themselves where it is dense, else copies side by side
  void take(Index i) {
    if constexpr (R::dense) {
      x_ = X_.row(i, row_), m_ = X_.d;
      w_.resize(K_ * m_);
    } else {
      m_ = X_.count(i), first_ = X_.index + X_.ptr[i];
      values_.resize(m_), w_.resize(K_ * m_), z_.resize(K_ * m_), n_.resize(K_ * m_);
      for (Index a = 0; a < m_; ++a) values_[a] = X_.at(X_.ptr[i] + a);
      x_ = values_.data();
      for (int k = 0; k < K_; ++k)
        for (Index a = 0; a < m_; ++a) {
          z_[k * m_ + a] = st_.Z[k * X_.d + first_[a]];
          n_[k * m_ + a] = st_.N[k * X_.d + first_[a]];
        }
    }
  }
  double* z(int k) { return R::dense ? st_.Z + k * m_ : z_.data() + k * m_; }
  double* n(int k) { return R::dense ? st_.N + k * m_ : n_.data() + k * m_; }
  double dot(const double* w) const { return dense_kernels<Value>().dot(x_, w, m_); }

  void move(int k, double g, const AdaptiveRates& r) {
    const double* w = w_.data() + k * m_;
    if constexpr (sizeof(Value) == 8)
      opt_.proximal ? kernels_.follow(g, x_, w, r.slowness, m_, z(k), n(k)) : kernels_.gather(g, x_, m_, z(k), n(k));
    else
      opt_.proximal ? kernels_.follow_single(g, x_, w, r.slowness, m_, z(k), n(k))
                    : kernels_.gather_single(g, x_, m_, z(k), n(k));
    if constexpr (!R::dense)
      for (Index a = 0; a < m_; ++a) {
        st_.Z[k * X_.d + first_[a]] = z_[k * m_ + a];
        st_.N[k * X_.d + first_[a]] = n_[k * m_ + a];
      }
    if (!opt_.intercept) return;
    double b = st_.intercept(st_.zb[k], st_.nb[k], r), more = st_.nb[k] + g * g;
    st_.zb[k] += g - (opt_.proximal ? r.slowness * (std::sqrt(more) - std::sqrt(st_.nb[k])) * b : 0.0);
    st_.nb[k] = more;
  }

  template <class A>
  static auto value_of() {
    if constexpr (A::dense) return typename A::Value{};
    else return double{};
  }
  using Value = decltype(value_of<R>());

  const R& X_;
  const int K_;
  const Judge judge_;
  const SgdRows& rows_;
  const AdaptiveOptions& opt_;
  AdaptiveState& st_;
  const AdaptiveKernels& kernels_ = adaptive_kernels();
  const Value* x_ = nullptr;
  const std::int32_t* first_ = nullptr;
  Index m_ = 0;
  std::vector<Value> row_;
  std::vector<double> f_, c_, values_, w_, z_, n_;
};

}  // namespace widemargin
