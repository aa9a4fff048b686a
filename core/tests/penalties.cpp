// Every penalty of the list: the prox satisfies its optimality condition and beats its neighbours; conjugates.
#include "check.hpp"
#include "penalty/all.hpp"

using namespace widemargin;

namespace {

std::vector<std::vector<double>> samples() {
  check::Random random(7);
  std::vector<std::vector<double>> list{{}, {0}, {-2.5}, {0, 0, 0}, {1, -1, 1}, {3, 0, -0.25, 1e-9}, {1e150, -1e150}};
  for (int k = 0; k < 6; ++k) list.push_back(random.vector(9));
  return list;
}

template <class R>
std::vector<double> parameters() {
  if (!*R::meta.parameter) return {0};
  double lo = R::meta.low, hi = std::min(R::meta.high, 5.0);
  return {R::meta.standard, std::max(lo, 0.4), hi, (lo + hi) / 2};
}

template <class R>
double objective(In x, In w, double t, double p) {
  double sum = t * R::value(x, p);
  for (std::size_t j = 0; j < w.size(); ++j) sum += square(x[j] - w[j]) / 2;
  return sum;
}

template <class R>
void prox(In w, double t, double p, const std::string& name) {
  std::vector<double> x(w.size()), g(w.size());
  R::prox(w, t, p, x);
  double best = objective<R>(x, w, t, p), scale = 1 + norm2(w);
  for (std::size_t j = 0; j < w.size(); ++j) g[j] = (x[j] - w[j]) / t;
  check::that(R::distance(g, x, p) <= 1e-6 * scale / t, name + ": optimality");
  if (!std::isfinite(best)) return;
  check::Random random(11);
  for (int k = 0; k < 20; ++k) {
    auto y = random.vector(w.size());
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j] + 0.1 * scale * y[j];
    check::that(objective<R>(y, w, t, p) >= best - 1e-10 * (1 + std::abs(best)), name + ": a neighbour is better");
  }
}

template <class R>
void conjugate(In w, double p, const std::string& name) {
  check::Random random(5);
  for (int k = 0; k < 5; ++k) {
    auto v = random.vector(w.size());
    double inner = 0;
    for (std::size_t j = 0; j < w.size(); ++j) inner += v[j] * w[j];
    double bound = R::value(w, p) + R::conjugate(v, p);
    check::that(std::isinf(bound) || bound >= inner - 1e-12 * (1 + std::abs(inner)), name + ": Fenchel-Young");
  }
}

}  // namespace

int main() {
  Penalties::each([]<class R>(R) {
    for (double p : parameters<R>())
      for (const auto& w : samples()) {
        std::string name = std::string(R::meta.name) + ":" + std::to_string(p);
        check::that(!std::isnan(R::value(w, p)), name + ": value");
        for (double t : {0.01, 0.7, 30.0}) prox<R>(w, t, p, name);
        bool convex = R::meta.convex;
        if constexpr (requires { R::convex(p); }) convex = R::convex(p);
        if constexpr (requires { R::conjugate(In(w), p); })
          if (convex) conjugate<R>(w, p, name);
      }
  });
  return check::report();
}
