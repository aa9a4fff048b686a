#include "../plain.hpp"

namespace widemargin {

template void plain_pass(const PlainRun<Dense<double>>&);
template void plain_pass(const PlainRun<Dense<float>>&);
template void plain_pass(const PlainRun<Strided>&);

}  // namespace widemargin
