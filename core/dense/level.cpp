// Which level runs: the highest that the processor has, or the one that WIDEMARGIN_ISA names.
#include <cstdlib>
#include <cstring>

#include "adaptive.hpp"
#include "dense.hpp"

namespace widemargin {

namespace base { extern const DenseLevel level; extern const AdaptiveKernels adaptive_table; }
#ifdef WIDEMARGIN_X86
namespace v3 { extern const DenseLevel level; extern const AdaptiveKernels adaptive_table; }
namespace v4 { extern const DenseLevel level; extern const AdaptiveKernels adaptive_table; }
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

const AdaptiveKernels& adaptive_kernels() {
#ifdef WIDEMARGIN_X86
  if (&current_level == &v4::level) return v4::adaptive_table;
  if (&current_level == &v3::level) return v3::adaptive_table;
#endif
  return base::adaptive_table;
}

}  // namespace widemargin
