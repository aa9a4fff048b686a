// Dense, strided, CSR and CSR without values say the same as plain loops over a table.
#include "check.hpp"
#include "rows.hpp"
#include "strided.hpp"

using namespace widemargin;

namespace {

// A random table, about a third of it zero, in every layout.
struct Table {
  Index n, d;
  std::vector<double> x;
  std::vector<float> narrow;
  std::vector<double> values, by_columns;
  std::vector<float> narrow_values;
  std::vector<std::int32_t> index;
  std::vector<Index> ptr{0};

  Table(Index rows, Index columns, bool ones) : n(rows), d(columns), x(rows * columns) {
    check::Random random(static_cast<std::uint64_t>(13 * rows + columns));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        if (random.next() < -0.3) continue;
        x[i * d + j] = ones ? 1.0 : static_cast<float>(random.next());
        values.push_back(x[i * d + j]);
        index.push_back(static_cast<std::int32_t>(j));
      }
      ptr.push_back(static_cast<Index>(values.size()));
    }
    narrow.assign(x.begin(), x.end());
    narrow_values.assign(values.begin(), values.end());
    for (Index j = 0; j < d; ++j)
      for (Index i = 0; i < n; ++i) by_columns.push_back(x[i * d + j]);
  }
};

template <class R>
void agree(const R& X, const Table& t, const std::string& name) {
  check::Random random(3);
  Index stored = 0;
  for (Index i = 0; i < t.n; ++i) {
    const double* row = t.x.data() + i * t.d;
    auto w = random.vector(t.d);
    auto moved = w, expected = w;
    double dot = 0, squares = 0, c = random.next();
    for (Index j = 0; j < t.d; ++j) {
      dot += row[j] * w[j];
      squares += row[j] * row[j];
      expected[j] += c * row[j];
    }
    X.prefetch(i);
    X.axpy(i, c, moved.data());
    check::close(X.dot(i, w.data()), dot, 1e-13, name + ": dot");
    check::close(X.sqnorm(i), squares, 1e-13, name + ": sqnorm");
    for (Index j = 0; j < t.d; ++j) check::close(moved[j], expected[j], 1e-15, name + ": axpy");
    double seen = 0;
    X.each(i, [&](Index j, double v) { seen += v == row[j] ? 1 : -1e9; });
    check::that(seen == static_cast<double>(X.count(i)), name + ": each");
    stored += X.count(i);
  }
  check::that(stored == X.nnz(), name + ": nnz");
}

template <class R>
void columns(const R& X, const Table& t, int K, const std::string& name) {
  check::Random random(4);
  auto W = random.vector(t.d * K), c = random.vector(K), f = c;
  for (Index i = 0; i < t.n; ++i) {
    scores(X, i, W.data(), K, f.data());
    auto moved = W;
    add(X, i, c.data(), K, moved.data());
    for (int k = 0; k < K; ++k) {
      double dot = 0;
      for (Index j = 0; j < t.d; ++j) {
        dot += t.x[i * t.d + j] * W[j * K + k];
        check::close(moved[j * K + k], W[j * K + k] + t.x[i * t.d + j] * c[k], 1e-15, name + ": add");
      }
      check::close(f[k], dot, 1e-13, name + ": scores");
    }
  }
}

template <class R>
void all(const R& X, const Table& t, const std::string& name) {
  agree(X, t, name);
  for (int K : {1, 3}) columns(X, t, K, name);
}

}  // namespace

int main() {
  for (Index n : {0, 1, 6})
    for (Index d : {0, 1, 7, 8, 19})
      for (bool ones : {false, true}) {
        Table t(n, d, ones);
        all(Dense<double>{t.x.data(), n, d, d}, t, "dense double");
        all(Dense<float>{t.narrow.data(), n, d, d}, t, "dense float");
        all(Strided{reinterpret_cast<const char*>(t.narrow.data()), n, d, 4 * d, 4, load_rows<float, double>}, t, "strided");
        all(Strided{reinterpret_cast<const char*>(t.by_columns.data()), n, d, 8, 8 * n, load_rows<double, double>}, t, "turned");
        all(Csr<double>{t.values.data(), t.index.data(), t.ptr.data(), n, d}, t, "csr double");
        all(Csr<float>{t.narrow_values.data(), t.index.data(), t.ptr.data(), n, d}, t, "csr float");
        if (ones) all(Csr<One>{nullptr, t.index.data(), t.ptr.data(), n, d}, t, "csr ones");
      }
  return check::report();
}
