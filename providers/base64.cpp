#include "providers/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace vt {

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  auto n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                           static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(n));
  return out;
}

std::string unbase64(std::string_view text) {
  std::string out(text.size() / 4 * 3, '\0');
  if (text.empty() || text.size() % 4 != 0) return {};
  auto n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                           static_cast<int>(text.size()));
  auto padding = static_cast<std::size_t>(std::count(text.end() - 2, text.end(), '='));  // it counts as zero bytes
  out.resize(n < 0 ? 0 : static_cast<std::size_t>(n) - padding);
  return out;
}

std::string base64url(std::string_view bytes) {
  std::string out = base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

}  // namespace vt
