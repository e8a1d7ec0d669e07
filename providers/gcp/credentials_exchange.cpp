#include <curl/curl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/gcp/credentials_source.hpp"

namespace vt::gcp {

namespace {

using nlohmann::json;

constexpr Duration kExchangeTimeout{30'000};
constexpr std::size_t kLargestReply = std::size_t{64} * 1024;
/// The metadata server answers at once or is not there.
constexpr Duration kMetadataTimeout{3'000};

std::string text_of(const json& from, const char* key) {
  auto at = from.is_object() ? from.find(key) : from.end();
  return at != from.end() && at->is_string() ? at->get<std::string>() : "";
}

std::string escaped(const std::string& value) {
  char* text = curl_easy_escape(nullptr, value.c_str(), static_cast<int>(value.size()));
  std::string copy(text ? text : "");
  curl_free(text);
  return copy;
}

/// "invalid_grant: Invalid JWT Signature."; the reply's own words, never the reply.
std::string refusal(const HttpReply& reply, const json& body) {
  auto what = text_of(body, "error"), why = text_of(body, "error_description");
  auto all = what + (what.empty() || why.empty() ? "" : ": ") + why;
  return all.empty() ? "HTTP status " + std::to_string(reply.status) : printable(cut_text(all, 300));
}

Result<Token> read_token(const HttpResult& result) {
  if (!result) return fail(result.error().refused_by_us ? Errc::auth : Errc::transport, result.error().what);
  auto body = json::parse(result->body, nullptr, false);
  bool again = result->status >= 500 || result->status == 429 || result->status == 408;
  if (result->status != 200) return fail(again ? Errc::transport : Errc::auth, "no token: " + refusal(*result, body));
  auto token = text_of(body, "access_token");
  auto seconds = body.is_object() ? body.find("expires_in") : body.end();
  if (token.empty() || seconds == body.end() || !seconds->is_number()) return fail(Errc::transport, "no token: the reply holds none");
  auto lifetime = std::clamp(seconds->get<double>(), 0.0, 86'400.0);
  return Token{Secret(token), Duration{static_cast<Duration::rep>(lifetime * 1000)}};
}

Result<Token> exchange(Http& http, const std::string& token_uri, std::string form) {
  HttpRequest request;
  request.method = "POST";
  request.url = token_uri;
  request.content_type = "application/x-www-form-urlencoded";
  request.body = std::move(form);
  request.timeout = kExchangeTimeout;
  request.largest = kLargestReply;
  auto result = read_token(http.send(request));
  OPENSSL_cleanse(request.body.data(), request.body.size());
  return result;
}

class ServiceAccountSource final : public TokenSource {
 public:
  ServiceAccountSource(ServiceAccount account, std::string origin, Http& http, const Clock& clock)
      : account_(std::move(account)), origin_(std::move(origin)), http_(http), clock_(clock) {}
  Result<Token> fetch() override {
    VT_TRY(Secret assertion, signed_assertion(account_, clock_.wall()));
    return exchange(http_, account_.token_uri,
                    "grant_type=" + escaped("urn:ietf:params:oauth:grant-type:jwt-bearer") + "&assertion=" + assertion.reveal());
  }
  [[nodiscard]] std::string text() const override { return "service account " + printable(account_.email) + " (" + origin_ + ")"; }

 private:
  ServiceAccount account_;
  std::string origin_;
  Http& http_;
  const Clock& clock_;
};

class UserSource final : public TokenSource {
 public:
  UserSource(AuthorizedUser user, std::string origin, Http& http) : user_(std::move(user)), origin_(std::move(origin)), http_(http) {}
  Result<Token> fetch() override {
    return exchange(http_, user_.token_uri,
                    "grant_type=refresh_token&client_id=" + escaped(user_.client_id) + "&client_secret=" +
                        escaped(user_.client_secret.reveal()) + "&refresh_token=" + escaped(user_.refresh_token.reveal()));
  }
  [[nodiscard]] std::string text() const override { return "authorised user (" + origin_ + ")"; }

 private:
  AuthorizedUser user_;
  std::string origin_;
  Http& http_;
};

class MetadataSource final : public TokenSource {
 public:
  MetadataSource(const std::string& base, Http& http)
      : url_(base + "computeMetadata/v1/instance/service-accounts/default/token"), http_(http) {}
  Result<Token> fetch() override {
    HttpRequest request;
    request.url = url_;
    request.headers = {{"Metadata-Flavor", "Google"}};
    request.timeout = kMetadataTimeout;
    request.largest = kLargestReply;
    auto reply = http_.send(request);
    // Anybody may answer to that name where this is no machine of Google's.
    if (reply && (!reply->headers.contains("metadata-flavor") || reply->headers["metadata-flavor"] != "Google"))
      return fail(Errc::transport, "what answers there is no metadata server");
    return read_token(reply);
  }
  [[nodiscard]] std::string text() const override { return "service account of this machine (metadata server)"; }

 private:
  std::string url_;
  Http& http_;
};

}  // namespace

std::unique_ptr<TokenSource> service_account_source(ServiceAccount account, std::string origin, Http& http, const Clock& clock) {
  return std::make_unique<ServiceAccountSource>(std::move(account), std::move(origin), http, clock);
}
std::unique_ptr<TokenSource> user_source(AuthorizedUser user, std::string origin, Http& http) {
  return std::make_unique<UserSource>(std::move(user), std::move(origin), http);
}
std::unique_ptr<TokenSource> metadata_source(const std::string& base, Http& http) { return std::make_unique<MetadataSource>(base, http); }

}  // namespace vt::gcp
