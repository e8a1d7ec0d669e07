#include "orchestrator/model/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "orchestrator/model/hex.hpp"

namespace vt {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> sum{};
  if (EVP_Digest(bytes.data(), bytes.size(), sum.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL has no SHA-256");
  return hex({reinterpret_cast<const char*>(sum.data()), sum.size()});
}

}  // namespace vt
