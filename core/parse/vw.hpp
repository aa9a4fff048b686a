// [label [weight [offset]]] ['tag]|namespace[:scale] name[:value] ... |namespace ...: Vowpal Wabbit's text.
//
// A feature is the number hash(name, hash(namespace)) mod 2^bits, as in Vowpal Wabbit ("hash strings", its default).
// Weinberger et al. 2009, "Feature hashing for large scale multitask learning".
#pragma once
#include "murmur.hpp"
#include "number.hpp"
#include "rows_of_text.hpp"

namespace widemargin::parse {

struct VowpalWabbit {
  int bits;

  template <class T>
  Stop operator()(const char* p, const char* end, Piece<T>& piece) const {
    if (skip_blanks(p, end) == end) return {p, nullptr};
    auto* bar = static_cast<const char*>(std::memchr(p, '|', static_cast<std::size_t>(end - p)));
    if (!bar) return {skip_blanks(p, end), "a | before the features"};
    Stop stop = head(p, bar, piece);
    for (p = bar; !stop.expected && p < end; p = stop.at) stop = space(p + 1, end, piece);
    return stop;
  }

 private:
  // label, weight and offset; a tag starts with ' or touches the bar
  template <class T>
  static Stop head(const char* p, const char* bar, Piece<T>& piece) {
    double told[3] = {std::numeric_limits<double>::quiet_NaN(), 1.0, 0.0};  // no label: a row to predict for
    int count = 0;
    for (p = skip_blanks(p, bar); p < bar; p = skip_blanks(p, bar)) {
      const char* stop = p;
      while (stop < bar && !blank(*stop)) ++stop;
      if (*p == '\'' || stop == bar) break;
      double v;
      if (number(p, stop, v) != stop || !std::isfinite(v)) return {p, "a finite number (label, weight or offset)"};
      if (count == 3) return {p, "at most a label, a weight and an offset before the |"};
      if (count == 1 && v < 0) return {p, "a weight of at least 0"};
      told[count++] = v;
      p = stop;
    }
    piece.y.push_back(told[0]);
    piece.s.push_back(told[1]);
    piece.o.push_back(told[2]);
    return {p, nullptr};
  }

  static const char* name_end(const char* p, const char* end) {
    while (p < end && !blank(*p) && *p != ':' && *p != '|') ++p;
    return p;
  }

  // one namespace: from behind its bar to the next
  template <class T>
  Stop space(const char* p, const char* end, Piece<T>& piece) const {
    double scale = 1;
    const char* stop = name_end(p, end);
    std::uint64_t seed = p == stop ? 0 : name_hash({p, static_cast<std::size_t>(stop - p)}, 0);
    if (stop < end && *stop == ':') {
      const char* next = number(stop + 1, end, scale);
      if (!next || !std::isfinite(scale)) return {stop + 1, "a finite number behind the namespace's colon"};
      stop = next;
    }
    std::uint64_t unnamed = seed;
    for (p = skip_blanks(stop, end); p < end && *p != '|'; p = skip_blanks(p, end)) {
      stop = name_end(p, end);
      std::uint64_t hash = p == stop ? unnamed++ : name_hash({p, static_cast<std::size_t>(stop - p)}, seed);
      double v = 1;
      if (stop < end && *stop == ':') {
        const char* from = stop + 1;
        const char* next = number(from, end, v);
        stop = name_end(from, end);
        if (stop < end && *stop == ':') return {from, "a number or one word behind the colon"};
        if (from == stop) {
          v = 1;  // as Vowpal Wabbit reads "name:"
        } else if (next != stop) {  // a word as a value: hashed onto the name
          hash = name_hash({from, static_cast<std::size_t>(stop - from)}, hash);
          v = 1;
        } else if (!std::isfinite(v)) {
          return {from, "a finite number behind the colon"};
        }
      }
      if (v * scale != 0) piece.feature(static_cast<Index>(hash & ((std::uint64_t{1} << bits) - 1)), v * scale);
      p = stop;
    }
    return {p, nullptr};
  }
};

}  // namespace widemargin::parse
