// What a loss does to many rows at once, compiled once for each instruction-set level from the one definition in core/loss:
//   a tile of scores -> loss, slopes, curvature;   an array of margins -> l(z), l'(z), l''(z), l*(-z), P(y | z)
#pragma once
#include <cstdint>

namespace widemargin {

using Index = std::int64_t;

// Rows of one tile.  In: scores.  Out: slope = p dl/df, curvature (ovr: p l''; softmax: probabilities), sums.
struct Tile {
  Index m;
  int K;
  const double* y;
  const double* p;
  const double* scores;
  double* slope;      // may be null
  double* curvature;  // may be null
  double* value;
  double* errors;
  double* room;  // m K numbers; may be where the slopes go
};

using TileFunction = void (*)(const Tile&);
using MapFunction = void (*)(const double* z, Index n, double* out);  // null where the loss has no such function

struct LossKernels {
  TileFunction ovr;
  MapFunction value, d1, d2, conjugate, probability;
};

}  // namespace widemargin
