#pragma once
#include <string>
#include <string_view>

namespace vt {

/// With padding, in one line (RFC 4648, section 4).
std::string base64(std::string_view bytes);
/// The bytes of such a text; empty if it is none.
std::string unbase64(std::string_view text);
/// For URLs and tokens, without padding (RFC 4648, section 5; RFC 7515, section 2).
std::string base64url(std::string_view bytes);

}  // namespace vt
