// Text -> arrays of rows; what could not be read is told with its place.
#include "../parse/libsvm.hpp"
#include "../parse/vw.hpp"
#include "bind.hpp"

namespace widemargin {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using parse::Piece;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// An array that is first touched by whoever fills it.
template <class T>
struct Fresh {
  std::unique_ptr<T[]> held;
  std::size_t size;
  explicit Fresh(std::size_t count) : held(std::make_unique_for_overwrite<T[]>(count)), size(count) {}
  Array<T> give() {
    T* start = held.release();
    return Array<T>(start, {size}, nb::capsule(start, [](void* p) noexcept { std::unique_ptr<T[]>(static_cast<T*>(p)); }));
  }
};

// One part of every piece, end to end; pieces let go of theirs, so that no two copies of everything exist at once.
template <class T, class Part>
auto end_to_end(std::vector<Piece<T>>& pieces, Part part, int threads) {
  using V = std::decay_t<decltype(part(pieces[0]))>;
  std::vector<std::size_t> at{0};
  for (auto& piece : pieces) at.push_back(at.back() + part(piece).size());
  Fresh<typename V::value_type> out(at.back());
  Pools::run(threads, static_cast<Index>(pieces.size()), [&](Index k) {
    V& from = part(pieces[static_cast<std::size_t>(k)]);
    std::copy(from.begin(), from.end(), out.held.get() + at[static_cast<std::size_t>(k)]);
    V().swap(from);
  });
  return out;
}

template <class T>
Fresh<Index> indptr(const std::vector<Piece<T>>& pieces) {
  std::size_t rows = 0;
  for (auto& piece : pieces) rows += piece.end.size();
  Fresh<Index> out(rows + 1);
  Index* to = out.held.get();
  Index before = *to++ = 0;
  for (auto& piece : pieces) {
    for (Index e : piece.end) *to++ = before + e;
    before = to[-1];
  }
  return out;
}

template <class T, class Grammar>
nb::dict parsed(const Grammar& grammar, const Bytes& bytes, int threads) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Piece<T>> pieces;
  std::optional<Fresh<double>> y, s, o;
  std::optional<Fresh<Index>> ptr;
  std::optional<Fresh<std::int32_t>> index;
  std::optional<Fresh<T>> value;
  std::vector<parse::Bad> bad;
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = -1;
  Index lines = 0;
  {
    nb::gil_scoped_release nogil;
    pieces = parse::read_pieces<T>(grammar, text, threads);
    bool ones = true;
    for (auto& piece : pieces) {
      least = std::min(least, piece.least);
      most = std::max(most, piece.most);
      ones = ones && piece.ones;
      lines += piece.lines;
      bad.insert(bad.end(), piece.bad.begin(), piece.bad.end());
    }
    ptr.emplace(indptr(pieces));
    y.emplace(end_to_end(pieces, [](auto& p) -> auto& { return p.y; }, threads));
    s.emplace(end_to_end(pieces, [](auto& p) -> auto& { return p.s; }, threads));
    o.emplace(end_to_end(pieces, [](auto& p) -> auto& { return p.o; }, threads));
    index.emplace(end_to_end(pieces, [](auto& p) -> auto& { return p.index; }, threads));
    if (!ones) value.emplace(end_to_end(pieces, [](auto& p) -> auto& { return p.value; }, threads));
  }
  nb::list wrong;
  for (auto& b : bad) wrong.append(nb::make_tuple(b.line, b.column, b.start, b.end, b.expected));
  nb::dict out;
  out["y"] = y->give();
  out["s"] = s->give();
  out["o"] = o->give();
  out["indptr"] = ptr->give();
  out["indices"] = index->give();
  out["values"] = value ? nb::cast(value->give()) : nb::none();
  out["least"] = least;
  out["most"] = most;
  out["lines"] = lines;
  out["bad"] = wrong;
  return out;
}

}  // namespace

void bind_parse(nb::module_& m) {
  m.def(
      "parse_libsvm",
      [](const Bytes& text, bool narrow, int threads) {
        return narrow ? parsed<float>(parse::Libsvm{}, text, threads) : parsed<double>(parse::Libsvm{}, text, threads);
      },
      nb::arg("text").noconvert(), nb::arg("narrow") = false, nb::arg("threads") = 1,
      "y, indptr, indices, values (None: all 1), and `bad`: (line, column, start, end, what was expected)");
  m.def(
      "parse_vw",
      [](const Bytes& text, int bits, bool narrow, int threads) {
        parse::VowpalWabbit grammar{bits};
        return narrow ? parsed<float>(grammar, text, threads) : parsed<double>(grammar, text, threads);
      },
      nb::arg("text").noconvert(), nb::arg("bits"), nb::arg("narrow") = false, nb::arg("threads") = 1,
      "as parse_libsvm, with weights s and offsets o; a label is NaN where there is none");
}

}  // namespace widemargin
