#pragma once
#include <string>
#include <string_view>

#include "orchestrator/model/hex.hpp"

/// Hashes, random numbers and their spelling. Internal to the store.
namespace vt {

/// RFC 4648 alphabet in lower case, without padding: safe in names, labels and paths.
std::string base32(std::string_view bytes);
/// `n` bytes nobody can guess. Throws std::runtime_error if the system has none: nothing sensible can go on then.
std::string random_bytes(int n);
std::string hmac_sha256(std::string_view key, std::string_view text);  ///< 32 raw bytes

}  // namespace vt
