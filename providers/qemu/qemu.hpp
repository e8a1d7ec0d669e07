#pragma once
#include <memory>

#include "providers/provider.hpp"

namespace vt {

std::unique_ptr<Provider> make_qemu(const ProviderContext&);

}  // namespace vt
