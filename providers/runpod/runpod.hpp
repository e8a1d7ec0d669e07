#pragma once
#include <memory>

#include "providers/provider.hpp"

namespace vt {

std::unique_ptr<Provider> make_runpod(const ProviderContext&);

}  // namespace vt
