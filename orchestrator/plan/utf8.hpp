#pragma once
#include <optional>
#include <string_view>

namespace vt {

/// Offset of the first byte that is not valid UTF-8 (overlong forms, surrogates and values above U+10FFFF are not) or is
/// a control character other than tab, line feed and carriage return.
std::optional<std::size_t> bad_byte(std::string_view text);
/// Characters, not bytes.
int length_in_characters(std::string_view text);

}  // namespace vt
