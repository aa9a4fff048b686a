// What a stochastic pass is given, and what it leaves behind.
#pragma once
#include "math.hpp"
#include "rows.hpp"

namespace widemargin {

enum class Passive { no, first, second };  // PA-I, PA-II: implicit, x without b, and a row's weight multiplies its step

struct SgdOptions {
  double l1 = 0, l2 = 0;
  bool implicit = false, intercept = true;
  double intercept_rate = 1;  // relative step of b
  Index batch = 1;
  Index average_from = -1;  // average the iterates after this many steps; -1: no average
  bool pocket = false;
  Passive passive = Passive::no;
  bool cumulative = false;                   // L1 by what is due in total, a row's columns at a time: Tsuruoka et al. 2009
  bool watch = false;                        // sum the loss of each row as it is met,
  double watch_l1 = 0, watch_l2 = 0;         // and this penalty of the weights
  double steepest = infinity<double>;        // slopes are cut there
  double least_shrink = -infinity<double>;   // L2 multiplies w by no less

  bool watch_penalty() const { return watch_l1 > 0 || watch_l2 > 0; }
  double penalty(double square, double absolute) const { return watch_l2 / 2 * square + watch_l1 * absolute; }
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
  double* paid = nullptr;             // cumulative L1: what each weight has got,
  double due = 0, past = 0;           // what is due to each, and the sum of iterates in the sums per unit of v
  double watched = 0;                 // the sum that is watched
  double square = 0, absolute = 0;    // ||w||^2, ||w||_1: of sparse w where a row last moved it, as scikit-learn 1.9 has it
};

struct SgdRows {
  const double *y, *s, *o;
  int offset_columns;
  double mean_weight;     // s is divided by it
  const Index* order;     // null: 0, 1, 2, ...
  Index count;            // rows to visit
  Index first;            // row number of row 0, for the record
};

// Rows in an order of their own are sent for before their turn: where they are, what they begin with, all of them.
template <class R>
void fetch(const R& X, const SgdRows& rows, Index at) {
  constexpr Index place = 16, head = 8, whole = 3;
  if (!rows.order) return;
  if (at + place < rows.count) {
    Index i = rows.order[at + place];
    X.prefetch_place(i);
    __builtin_prefetch(rows.y + i);
    if (rows.s) __builtin_prefetch(rows.s + i);
  }
  if (at + head < rows.count) X.prefetch(rows.order[at + head]);
  if (at + whole < rows.count) X.prefetch_whole(rows.order[at + whole]);
}

}  // namespace widemargin
