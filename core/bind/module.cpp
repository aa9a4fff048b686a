// The module: arithmetic on views.  Every long call releases the GIL.
#include "bind.hpp"

namespace widemargin {
void bind_streams(nb::module_&);
}

NB_MODULE(_core, m) {
  m.def("level", [] { return widemargin::current_level.name; }, "the instruction-set level that dense rows use");
  nb::set_leak_warnings(false);
  widemargin::bind_losses(m);
  widemargin::bind_penalties(m);
  widemargin::bind_rows(m);
  widemargin::bind_intake(m);
  widemargin::bind_duals(m);
  widemargin::bind_fold(m);
  widemargin::bind_sgd(m);
  widemargin::bind_descent(m);
  widemargin::bind_vectors(m);
  widemargin::bind_columns(m);
  widemargin::bind_dual(m);
  widemargin::bind_cg(m);
  widemargin::bind_kink(m);
  widemargin::bind_parse(m);
  widemargin::bind_symmetric(m);
  widemargin::bind_streams(m);
}
