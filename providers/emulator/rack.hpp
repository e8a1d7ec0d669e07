#pragma once
#include <memory>

#include "providers/provider.hpp"

namespace vt::emulator {

/// The bare-metal provider of a rehearsal: each host of a layer is replaced by a pod-like host on this machine. What is
/// predicted is what the real provider predicts, so that what the stand-ins lack is told apart from what the rack lacks.
std::unique_ptr<Provider> make_rack(const ProviderContext&);

}  // namespace vt::emulator
