#pragma once
#include <string>
#include <string_view>

namespace vt {

/// SHA-256 as lower-case hex. Throws std::runtime_error if OpenSSL has none: nothing sensible can go on then.
std::string sha256_hex(std::string_view bytes);

}  // namespace vt
