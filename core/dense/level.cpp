// Which level runs: the highest that the processor has, or the one that WIDEMARGIN_ISA names.
#include <cstdlib>
#include <cstring>

#include "dense.hpp"

namespace widemargin {

namespace base { extern const DenseLevel level; }
#ifdef WIDEMARGIN_X86
namespace v3 { extern const DenseLevel level; }
namespace v4 { extern const DenseLevel level; }
#endif

static const DenseLevel& choose() {
#ifdef WIDEMARGIN_X86
  const char* wanted = std::getenv("WIDEMARGIN_ISA");
  auto may = [&](const DenseLevel& l) { return !wanted || std::strcmp(wanted, l.name) >= 0; };
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (avx512 && may(v4::level)) return v4::level;
  if (avx2 && may(v3::level)) return v3::level;
#endif
  return base::level;
}

const DenseLevel& current_level = choose();

}  // namespace widemargin
