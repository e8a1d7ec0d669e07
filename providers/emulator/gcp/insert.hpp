#pragma once
#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

/// instances.insert. Under the lock.
Reply insert_instance(Engine&, const Call&);

}  // namespace vt::emulator::gcp
