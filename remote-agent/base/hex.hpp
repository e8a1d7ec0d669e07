#pragma once
#include <string>
#include <string_view>

namespace vt {

/// Two lower-case digits per byte.
inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (unsigned char c : bytes) out += {kDigits[c >> 4], kDigits[c & 15]};
  return out;
}

/// The bytes again; empty if these are not pairs of lower-case digits.
inline std::string from_hex(std::string_view hex) {
  if (hex.size() % 2 || hex.find_first_not_of("0123456789abcdef") != hex.npos) return "";
  auto digit = [&](std::size_t i) { return hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(digit(i) * 16 + digit(i + 1));
  return out;
}

}  // namespace vt
