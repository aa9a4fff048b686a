#include "../plain.hpp"

namespace widemargin {

template void plain_pass(const PlainRun<Csr<double>>&);
template void plain_pass(const PlainRun<Csr<float>>&);
template void plain_pass(const PlainRun<Csr<One>>&);

}  // namespace widemargin
