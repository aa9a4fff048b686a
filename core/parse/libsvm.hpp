// label [qid:q] index:value ... [# comment]: the text of LIBSVM and SVMlight.  Chang & Lin 2011, Joachims 1999.
#pragma once
#include "number.hpp"
#include "rows_of_text.hpp"

namespace widemargin::parse {

struct Libsvm {
  template <class T>
  Stop operator()(const char* p, const char* end, Piece<T>& piece) const {
    p = skip_blanks(p, end);
    if (p == end || *p == '#') return {p, nullptr};
    double label;
    const char* next = number(p, end, label);
    if (!next || (next < end && !blank(*next)) || !std::isfinite(label)) return {p, "a label that is one finite number"};
    piece.y.push_back(label);
    for (p = skip_blanks(next, end); p < end && *p != '#'; p = skip_blanks(p, end)) {
      if (end - p > 4 && std::memcmp(p, "qid:", 4) == 0) {
        while (p < end && !blank(*p)) ++p;
        continue;
      }
      const char* start = p;
      Index at = 0;
      while (p < end && digit(*p) && at < (Index{1} << 31)) at = 10 * at + (*p++ - '0');
      if (p == start || p == end || *p != ':') return {start, "index:value with a whole index of at least 0"};
      if (at >= std::numeric_limits<std::int32_t>::max()) return {start, "an index below 2147483647"};
      double v;
      next = number(p + 1, end, v);
      if (!next || (next < end && !blank(*next)) || !std::isfinite(v)) return {p + 1, "a finite number behind the colon"};
      piece.feature(at, v);
      p = next;
    }
    return {p, nullptr};
  }
};

}  // namespace widemargin::parse
