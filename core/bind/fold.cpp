// Folds over rows, and the tree that adds them up.
#include <nanobind/stl/string_view.h>

#include "../sums.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

Want want_of(std::string_view name) {
  if (name == "value") return Want::value;
  if (name == "gradient") return Want::gradient;
  if (name == "gram" || name == "rough_gram") return Want::gram;
  if (name == "product") return Want::product;
  if (name == "diagonal") return Want::diagonal;
  throw std::invalid_argument("no such fold");
}

struct Arrays {
  CVec y;
  std::optional<CVec> s;
  std::optional<CAny> o;
  CMat W;
  CVec b;
  std::optional<CMat> D;
  std::optional<CVec> Db;
  std::optional<Mat> scores, curvature;
};

void check(const RowsView& view, const Arrays& a, int K, const Tree& tree, const Fold& job) {
  auto rows = [&](auto& array) { return !array || static_cast<Index>(array->shape(0)) == view.n; };
  require(static_cast<Index>(a.y.size()) == view.n && rows(a.s) && rows(a.o), "y, s, o need one entry per row");
  require(static_cast<Index>(a.W.shape(0)) == view.d && static_cast<int>(a.b.size()) == K, "W or b has the wrong shape");
  require(rows(a.scores) && rows(a.curvature), "what is kept needs one entry per row");
  require(tree.size() == fold_size(job.want, job.heads, K, view.d), "the tree has the wrong size");
  bool product = job.want == Want::product;
  require(!product || (a.D && a.Db), "a product needs a direction");
  require(!(product || job.want == Want::diagonal) || a.curvature, "this fold reads the kept curvature");
}

void run_fold(Tree& tree, const RowsView& view, std::string_view want, std::size_t loss, std::string_view heads, CVec y,
              std::optional<CVec> s, std::optional<CAny> o, double inverse_weight, CMat W, CVec b, std::optional<CMat> D,
              std::optional<CVec> Db, std::optional<Mat> scores, std::optional<Mat> curvature, Index leaf, int threads) {
  int K = static_cast<int>(W.shape(1));
  Heads kind = heads_of(heads);
  Fold job{want_of(want), kind, K, tile_function(loss, kind), y.data(), data(s), data(o), columns_of(o), inverse_weight,
           W.data(), b.data(), data(D), data(Db), data(scores), data(curvature), leaf, threads, want == "rough_gram"};
  check(view, Arrays{y, s, o, W, b, D, Db, scores, curvature}, K, tree, job);
  nb::gil_scoped_release nogil;
  std::visit([&](const auto& X) { fold(X, job, tree); }, view.rows);
}

std::size_t size_of(std::string_view want, std::string_view heads, int K, Index d) {
  return fold_size(want_of(want), heads_of(heads), K, d);
}

}  // namespace

void bind_fold(nb::module_& m) {
  nb::class_<Tree>(m, "Tree").def(nb::init<std::size_t>()).def("take", [](Tree& t) { return give(t.take()); });
  m.def("fold_size", size_of, nb::arg("want"), nb::arg("heads"), nb::arg("K"), nb::arg("d"));
  m.def("fold_parts", fold_parts, nb::arg("size"), nb::arg("n"), nb::arg("rows"), nb::arg("leaf"), nb::arg("threads"),
        "how many sums of `size` numbers a fold holds at most");
  auto array = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("fold", run_fold, nb::arg("tree"), nb::arg("rows"), nb::arg("want"), nb::arg("loss"), nb::arg("heads"),
        array("y"), array("s").none(), array("o").none(), nb::arg("inverse_weight"), array("W"), array("b"),
        array("D").none(), array("Db").none(), array("scores").none(), array("curvature").none(), nb::arg("leaf"),
        nb::arg("threads"));
}

}  // namespace widemargin
