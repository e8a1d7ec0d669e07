#pragma once
#include <string>
#include <string_view>

namespace vt {

/// Two lower-case digits per byte.
inline std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    (out += digits[byte >> 4]) += digits[byte & 15];
  }
  return out;
}

}  // namespace vt
