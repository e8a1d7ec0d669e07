#pragma once
#include <string>

namespace vt {

/// A random UUID (RFC 9562, version 4) in lower case.
std::string new_uuid();

}  // namespace vt
