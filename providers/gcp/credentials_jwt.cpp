#include "providers/gcp/credentials_jwt.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "orchestrator/model/free_with.hpp"
#include "providers/base64.hpp"

namespace vt::gcp {

namespace {

using nlohmann::json;

using Pkey = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

/// All that the client does; what the account may do is decided by its roles.
constexpr const char* kScope = "https://www.googleapis.com/auth/compute";
constexpr std::int64_t kLifetimeSeconds = 3600;  ///< the most Google accepts

/// An encrypted key is none for us: without this, OpenSSL would ask on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Pkey read_key(const Secret& pem) {
  std::unique_ptr<BIO, FreeWith<BIO_free>> text(BIO_new_mem_buf(pem.reveal().data(), static_cast<int>(pem.reveal().size())));
  return Pkey(text ? PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, nullptr) : nullptr);
}

std::string sign(EVP_PKEY* key, const std::string& text) {
  std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  auto bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1)
    return "";
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) != 1) return "";
  signature.resize(size);
  return signature;
}

}  // namespace

Result<Secret> signed_assertion(const ServiceAccount& account, EpochMs now) {
  Pkey key = read_key(account.private_key);
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return fail(Errc::auth, "its private_key is no unencrypted RSA key");
  json head{{"typ", "JWT"}, {"alg", "RS256"}, {"kid", account.key_id}};
  json claims{{"iss", account.email},
              {"scope", kScope},
              {"aud", account.token_uri},  // so that nobody but the server it is sent to can use it
              {"iat", now / 1000},
              {"exp", now / 1000 + kLifetimeSeconds}};
  auto dump = [](const json& j) { return base64url(j.dump(-1, ' ', false, json::error_handler_t::replace)); };
  std::string text = dump(head) + "." + dump(claims), signature = sign(key.get(), text);
  if (signature.empty()) return fail(Errc::auth, "its private_key cannot sign");
  return Secret(text + "." + base64url(signature));
}

}  // namespace vt::gcp
