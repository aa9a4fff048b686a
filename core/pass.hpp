// What a stochastic pass is given, and what it leaves behind.
#pragma once
#include "rows.hpp"

namespace widemargin {

struct SgdOptions {
  double l1 = 0, l2 = 0;
  bool implicit = false, intercept = true;
  double intercept_rate = 1;  // relative step of b
  Index batch = 1;
  Index average_from = -1;  // average the iterates after this many steps; -1: no average
  bool pocket = false;
};

struct SgdState {
  double *W, *b;          // (d, K), (K,): the weights, true between passes
  double *sum_W, *sum_b;  // running sums of iterates, or null
  double *pocket_W, *pocket_b;
  Index t = 0;            // steps made
  Index averaged = 0;     // iterates in the sums
  Index mistakes = 0;     // rows met with z <= 0, in this pass
  Index updates = 0;      // rows that changed w, in this pass
  Index run = 0, pocket_run = 0;
};

struct SgdRows {
  const double *y, *s, *o;
  int offset_columns;
  double mean_weight;     // s is divided by it
  const Index* order;     // null: 0, 1, 2, ...
  Index count;            // rows to visit
  Index first;            // row number of row 0, for the record
};

}  // namespace widemargin
