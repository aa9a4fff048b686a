// THE list of penalties.  A new penalty: its header in this folder, and its name here.
#pragma once
#include "../list.hpp"
#include "widemargin_penalty_headers.hpp"  // every header of this folder, gathered by the build

namespace widemargin {

using Penalties = List<
    None,
    L2,
    L2Norm,
    L1,
    ElasticNet,
    PNorm,
    MaxNorm,
    Count
    // one line per penalty
    >;

}  // namespace widemargin
