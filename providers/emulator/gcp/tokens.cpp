#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/gcp/api.hpp"

// Google's token endpoint: service accounts' signed assertions, authorised users' refresh tokens.
namespace vt::emulator::gcp {

namespace {

constexpr int kTokenSeconds = 3599;

Reply refusal(const char* kind, const char* what) { return json_reply({{"error", kind}, {"error_description", what}}, 400); }

std::string from_base64url(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return unbase64(text);
}

bool signed_by(const std::string& pem, const std::string& text, const std::string& signature) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> check(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!key || EVP_DigestVerifyInit(check.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1) return false;
  return EVP_DigestVerify(check.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

Reply issue(Engine& engine, const json& claims) {
  if (claims.contains("target_audience")) {  // gcloud tries a new account by asking who it is
    json head = {{"alg", "none"}};
    return json_reply({{"id_token", base64(head.dump()) + "." + base64(claims.dump()) + "."}});
  }
  return json_reply({{"access_token", engine.new_token()}, {"expires_in", kTokenSeconds}, {"token_type", "Bearer"}});
}

/// header.claims.signature of an account that is known here; of any where every token is taken.
Reply from_assertion(Engine& engine, const std::string& assertion) {
  auto parts = split(assertion, '.');
  if (parts.size() != 3) return refusal("invalid_grant", "Bad Request");
  json head = json::parse(from_base64url(parts[0]), nullptr, false), claims = json::parse(from_base64url(parts[1]), nullptr, false);
  if (!head.is_object() || !claims.is_object() || head.value("alg", "") != "RS256") return refusal("invalid_grant", "Invalid JWT.");
  if (engine.world.options.any_token) return issue(engine, claims);
  auto key = engine.world.google_keys.find(claims.value("iss", ""));
  if (key == engine.world.google_keys.end()) return refusal("invalid_grant", "Invalid grant: account not found");
  if (!signed_by(key->second, parts[0] + "." + parts[1], from_base64url(parts[2])))
    return refusal("invalid_grant", "Invalid JWT Signature.");
  auto now = Clock::wall() / 1000;
  if (claims.value("exp", std::int64_t{0}) < now || claims.value("iat", std::int64_t{0}) > now + 300)
    return refusal("invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.");
  return issue(engine, claims);
}

Reply token(Engine& engine, const Call& call) {
  std::lock_guard lock(engine.world.mutex);
  auto form = parse_query(call.body);
  std::string grant = form["grant_type"];
  if (grant == "urn:ietf:params:oauth:grant-type:jwt-bearer") return from_assertion(engine, form["assertion"]);
  if (grant == "refresh_token" && !form["refresh_token"].empty() && engine.world.options.any_token) return issue(engine, json::object());
  if (grant == "refresh_token") return refusal("invalid_grant", "Bad Request");
  return refusal("unsupported_grant_type", "Invalid grant_type.");
}

}  // namespace

std::string Engine::new_token() {
  std::string token = "ya29.emulated-" + world.draw(40, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  tokens[token] = Clock::wall() + kTokenSeconds * 1000;
  return token;
}

std::optional<Reply> Engine::refuse_caller(const Call& call) {
  if (world.options.any_token) return std::nullopt;
  auto found = tokens.find(call.bearer());
  if (found == tokens.end() || found->second < Clock::wall()) return front_error(401);
  return std::nullopt;
}

void add_tokens(const std::shared_ptr<Engine>& engine) {
  engine->world.server->route("POST", "/token", Api::gcp, CallKind::token, [engine](const Call& call) { return token(*engine, call); });
}

}  // namespace vt::emulator::gcp
