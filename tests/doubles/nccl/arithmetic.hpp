#pragma once
#include <cstddef>
#include <vector>

#include "tests/doubles/nccl/abi.hpp"

namespace vt::doubles {

/// 0: no such type.
std::size_t size_of(ncclDataType_t);
/// to[i] = from[0][i] op from[1][i] …, in this order; `to` may be one of them.
void reduce(void* to, const std::vector<const void*>& from, std::size_t count, ncclDataType_t, ncclRedOp_t);

}  // namespace vt::doubles
