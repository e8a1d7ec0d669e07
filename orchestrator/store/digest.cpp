#include "orchestrator/store/digest.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <ctime>
#include <stdexcept>

#include "orchestrator/store/store.hpp"

namespace vt {

namespace {

using Sum = std::array<unsigned char, 32>;

std::string as_bytes(const Sum& sum) { return {sum.begin(), sum.end()}; }

const unsigned char* data(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

}  // namespace

std::string base32(std::string_view bytes) {
  constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  unsigned buffer = 0;
  int bits = 0;
  for (char c : bytes) {
    buffer = (buffer << 8 | static_cast<unsigned char>(c)) & 0xfff;  // at most 4 bits are left over from the byte before
    for (bits += 8; bits >= 5; bits -= 5) out += alphabet[buffer >> (bits - 5) & 31];
  }
  if (bits > 0) out += alphabet[buffer << (5 - bits) & 31];
  return out;
}

std::string random_bytes(int n) {
  std::string out(static_cast<std::size_t>(n), '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), n) != 1) throw std::runtime_error("the system gives no random numbers");
  return out;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  Sum sum{};
  unsigned length = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data(text), text.size(), sum.data(), &length))
    throw std::runtime_error("OpenSSL has no HMAC-SHA256");
  return as_bytes(sum);
}

std::string new_run_id(const Clock& clock) {
  std::time_t seconds = clock.wall() / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> stamp{};
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S-", &utc);
  return stamp.data() + base32(random_bytes(3)).substr(0, 4);
}

}  // namespace vt
