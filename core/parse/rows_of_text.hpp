// Text, one row a line -> rows in CSR, by many hands.
//
// The text is cut at line ends near multiples of a fixed size; each piece is read by one thread into arrays of its
// own, which are then laid end to end: what comes out does not depend on the number of threads.
#pragma once
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "../pool.hpp"

namespace widemargin::parse {

using Index = std::int64_t;

// A line that is no row: where, and what was expected there.
struct Bad {
  Index line, column;  // counted from 1
  Index start, end;    // the line's bytes
  const char* expected;
};

// What some lines hold.
template <class T>
struct Piece {
  std::vector<double> y, s, o;  // labels; weights and offsets where the grammar has them
  std::vector<std::int32_t> index;
  std::vector<T> value;
  std::vector<Index> end;  // of each row in index and value
  std::vector<Bad> bad;
  Index lines = 0;
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = -1;
  bool ones = true;

  void feature(Index at, double v) {
    auto j = static_cast<std::int32_t>(at);
    least = std::min(least, j);
    most = std::max(most, j);
    ones = ones && v == 1.0;
    index.push_back(j);
    value.push_back(static_cast<T>(v));
  }
  // forget what a bad line began
  void cut() {
    std::size_t stored = end.empty() ? 0 : static_cast<std::size_t>(end.back()), rows = end.size();
    index.resize(stored);
    value.resize(stored);
    y.resize(rows);
    if (s.size() > rows) s.resize(rows);
    if (o.size() > rows) o.resize(rows);
  }
};

// Where reading stopped and why; expected == nullptr: the line is a row, or holds nothing.
struct Stop {
  const char* at;
  const char* expected;
};

inline bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && blank(*p)) ++p;
  return p;
}

// The lines of [from, to); a grammar reads one: Stop grammar(begin, end, piece), a row where piece.y has grown.
template <class T, class Grammar>
void read_lines(const Grammar& grammar, const char* text, const char* from, const char* to, Piece<T>& piece) {
  for (const char* p = from; p < to;) {
    auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(to - p)));
    const char* end = newline ? newline : to;
    ++piece.lines;
    Stop stop = grammar(p, end, piece);
    if (stop.expected) {
      piece.cut();
      piece.bad.push_back({piece.lines, stop.at - p + 1, p - text, end - text, stop.expected});
    } else if (piece.y.size() > piece.end.size()) {
      piece.end.push_back(static_cast<Index>(piece.index.size()));
    }
    p = end + 1;
  }
}

inline constexpr Index piece_bytes = Index{1} << 20;

// Ends of pieces, each after a line end.
inline std::vector<Index> cuts(std::string_view text) {
  std::vector<Index> out{0};
  auto size = static_cast<Index>(text.size());
  while (out.back() < size) {
    Index at = out.back() + piece_bytes;
    std::size_t newline = at >= size ? text.npos : text.find('\n', static_cast<std::size_t>(at));
    out.push_back(newline == text.npos ? size : static_cast<Index>(newline) + 1);
  }
  return out;
}

template <class T, class Grammar>
std::vector<Piece<T>> read_pieces(const Grammar& grammar, std::string_view text, int threads) {
  std::vector<Index> ends = cuts(text);
  std::vector<Piece<T>> pieces(ends.size() - 1);
  Pools::run(threads, static_cast<Index>(pieces.size()), [&](Index k) {
    auto at = static_cast<std::size_t>(k);
    read_lines(grammar, text.data(), text.data() + ends[at], text.data() + ends[at + 1], pieces[at]);
  });
  Index lines = 0;
  for (auto& piece : pieces) {
    for (auto& bad : piece.bad) bad.line += lines;
    lines += piece.lines;
  }
  return pieces;
}

}  // namespace widemargin::parse
