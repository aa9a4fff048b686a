// One pass over the rows: gradient against differences of the value, Gram against products; same bits for any threads.
#include "check.hpp"
#include "sums.hpp"

using namespace widemargin;

namespace {

struct Data {
  Index n = 403, d = 5;
  int K;
  std::vector<double> x, y, s, W, b;
  explicit Data(int columns) : K(columns) {
    check::Random random(static_cast<std::uint64_t>(columns));
    x = random.vector(n * d), y = random.vector(n), s = random.vector(n);
    W = random.vector(d * K), b = random.vector(K);
    for (double& v : y) v = K == 1 ? (v > 0 ? 1 : -1) : std::floor((v + 1) / 2 * K);
    for (double& v : s) v = std::abs(v);
  }
  Dense<double> rows() const { return {x.data(), n, d, d}; }
};

template <class L>
constexpr std::size_t number() {
  std::size_t at = 0, found = 0;
  Losses::each([&]<class M>(M) { found = std::is_same_v<L, M> ? at : found, ++at; });
  return found;
}

std::vector<double> total(const Data& t, Heads heads, std::size_t loss, Want want, int threads, double* kept = nullptr,
                          const std::vector<double>* direction = nullptr) {
  Fold job{};
  job.want = want, job.heads = heads, job.K = t.K, job.judge = tile_function(loss, heads);
  job.y = t.y.data(), job.s = t.s.data(), job.inverse_weight = 0.01;
  job.W = t.W.data(), job.b = t.b.data(), job.curvature = kept, job.leaf = 64, job.threads = threads;
  if (direction) job.D = direction->data(), job.Db = direction->data() + t.d * t.K;
  Tree tree(fold_size(want, heads, t.K, t.d));
  fold(t.rows(), job, tree);
  auto found = tree.take();
  return {found.begin(), found.end()};
}

double sum_of_values(const std::vector<double>& sums, int H) {
  double sum = 0;
  for (int h = 0; h < H; ++h) sum += sums[h];
  return sum;
}

void slopes(Heads heads, int K, std::size_t loss, const std::string& name) {
  Data t(K);
  int H = objectives(heads, K);
  auto sums = total(t, heads, loss, Want::gradient, 1);
  for (Index at = 0; at < (t.d + 1) * K; ++at) {
    double& w = at < t.d * K ? t.W[at] : t.b[at - t.d * K];
    double old = w, h = 1e-6;
    w = old + h;
    double up = sum_of_values(total(t, heads, loss, Want::value, 1), H);
    w = old - h;
    double down = sum_of_values(total(t, heads, loss, Want::value, 1), H);
    w = old;
    check::close(sums[2 * H + at], (up - down) / (2 * h), 1e-7, name + ": gradient");
  }
}

void same_bits(Heads heads, int K, std::size_t loss, const std::string& name) {
  Data t(K);
  for (Want want : {Want::value, Want::gradient, Want::gram}) {
    auto one = total(t, heads, loss, want, 1);
    for (int threads : {2, 3, 7}) check::that(total(t, heads, loss, want, threads) == one, name + ": same bits");
  }
}

// The Gram sum applied to a direction is the product sum.
void products(int K, std::size_t loss, const std::string& name) {
  Data t(K);
  Index m = t.d + 1;
  std::vector<double> kept(t.n * K);
  auto gram = total(t, Heads::ovr, loss, Want::gram, 1, kept.data());
  auto direction = check::Random(9).vector(m * K);
  auto product = total(t, Heads::ovr, loss, Want::product, 2, kept.data(), &direction);
  auto diagonal = total(t, Heads::ovr, loss, Want::diagonal, 2, kept.data());
  const double* G = gram.data() + 2 * K + m * K;
  for (int k = 0; k < K; ++k)
    for (Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Index j = 0; j < m; ++j) sum += G[k * m * m + std::min(i, j) * m + std::max(i, j)] * direction[j * K + k];
      check::close(product[i * K + k], sum, 1e-12, name + ": product");
      check::close(diagonal[i * K + k], G[k * m * m + i * m + i], 1e-12, name + ": diagonal");
    }
}

}  // namespace

int main() {
  std::size_t logistic = number<Logistic>();
  slopes(Heads::ovr, 1, logistic, "binary");
  slopes(Heads::ovr, 3, logistic, "one-vs-rest");
  slopes(Heads::softmax, 3, logistic, "softmax");
  slopes(Heads::rival, 3, logistic, "rival");
  for (int K : {1, 3}) products(K, logistic, "K = " + std::to_string(K));
  same_bits(Heads::ovr, 1, logistic, "binary");
  same_bits(Heads::ovr, 3, logistic, "one-vs-rest");
  same_bits(Heads::softmax, 3, logistic, "softmax");
  return check::report();
}
