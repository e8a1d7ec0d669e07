#include "providers/gcp/credentials.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/http/web_server.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::TempDir;
using test::write_file;

std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> new_rsa_key() {
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}), EVP_PKEY_free};
}

std::string pem_of(EVP_PKEY* key) {
  std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  char* text = nullptr;
  auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string from_base64url(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  std::size_t padding = (4 - text.size() % 4) % 4;
  text += std::string(padding, '=');
  std::string out(text.size(), '\0');
  auto n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                           static_cast<int>(text.size()));
  out.resize(n < 0 ? 0 : static_cast<std::size_t>(n) - padding);
  return out;
}

bool verifies(EVP_PKEY* key, const std::string& text, const std::string& signature) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

class GcpCredentialsTest : public testing::Test {
 protected:
  GcpCredentialsTest() {
    web_.server.Post("/token", [this](auto& request, auto& reply) { answer(request, reply); });
    web_.server.Get("/computeMetadata/v1/instance/service-accounts/default/token", [this](auto& request, auto& reply) {
      if (request.get_header_value("Metadata-Flavor") != "Google") {
        reply.status = 403;
        return;
      }
      if (google_) reply.set_header("Metadata-Flavor", "Google");
      answer(request, reply);
    });
    web_.start();
    cloud_.reach = HttpRules::Reach::loopback;
    cloud_.gcp_metadata = "http://127.0.0.1:1/";
    cloud_.environment = [this](const std::string& name) { return environment_[name]; };
    http_ = make_http(http_rules(cloud_));
  }

  void answer(const httplib::Request& request, httplib::Response& reply) {
    ++asked_;
    form_ = request.params;
    reply.status = status_;
    reply.set_content(body_.empty() ? R"({"access_token":"token-)" + std::to_string(asked_) + R"(","expires_in":)" +
                                          std::to_string(expires_in_) + R"(,"token_type":"Bearer"})"
                                    : body_,
                      "application/json");
  }

  json service_account() {
    return {{"type", "service_account"},
            {"client_email", "ci@p.iam.gserviceaccount.com"},
            {"private_key_id", "kid-7"},
            {"private_key", pem_of(key_.get())},
            {"token_uri", web_.url("/token")}};
  }
  [[nodiscard]] json user() const {
    return {{"type", "authorized_user"},
            {"client_id", "id"},
            {"client_secret", "canary+/1"},
            {"refresh_token", "canary&2"},
            {"token_uri", web_.url("/token")}};
  }
  void use_file(const json& content, unsigned mode = 0600) {
    write_file(folder_ / "key.json", content.dump(), mode);
    environment_["GOOGLE_APPLICATION_CREDENTIALS"] = folder_ / "key.json";
  }
  void use_command(const std::string& script) {
    write_file(folder_ / "tool", "#!/bin/sh\n" + script, 0700);
    environment_["VAULT_TEST_GCP_TOKEN_COMMAND"] = folder_ / "tool print  a-token";
    environment_["PATH"] = "/usr/bin:/bin";
  }
  auto find() { return find_gcp_credentials(cloud_, *http_, clock_); }
  /// The text of the token, or of the error.
  std::string token(GcpCredentials& credentials, bool renew = false) {
    auto t = credentials.token(renew);
    return t ? (*t)->reveal() : t.error().what;
  }
  std::string token() {
    auto found = find();
    return found ? token(**found) : found.error().what;
  }
  Error error() {
    auto found = find();
    if (!found) return found.error();
    auto t = (*found)->token(false);
    return t ? Error{Errc::internal, "no error"} : t.error();
  }

  test::WebServer web_;
  TempDir folder_;
  CloudAccess cloud_;
  std::map<std::string, std::string> environment_;
  ManualClock clock_;
  std::unique_ptr<Http> http_;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_ = new_rsa_key();
  int asked_ = 0, status_ = 200, expires_in_ = 3600;
  bool google_ = true;
  std::string body_;
  httplib::Params form_;

  std::string form(const std::string& name) {
    auto at = form_.find(name);
    return at == form_.end() ? "" : at->second;
  }
};

TEST_F(GcpCredentialsTest, AServiceAccountSignsForItself) {
  use_file(service_account());
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)->text(), "service account ci@p.iam.gserviceaccount.com (GOOGLE_APPLICATION_CREDENTIALS)");
  EXPECT_EQ(asked_, 0) << "asked when needed";
  EXPECT_EQ(token(**found), "token-1");
  EXPECT_EQ(form("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  std::string jwt = form("assertion");
  auto first = jwt.find('.'), last = jwt.rfind('.');
  ASSERT_NE(first, last);
  EXPECT_EQ(jwt.find('='), std::string::npos);
  EXPECT_TRUE(verifies(key_.get(), jwt.substr(0, last), from_base64url(jwt.substr(last + 1))));
  EXPECT_FALSE(verifies(new_rsa_key().get(), jwt.substr(0, last), from_base64url(jwt.substr(last + 1))));
  EXPECT_EQ(json::parse(from_base64url(jwt.substr(0, first))), (json{{"alg", "RS256"}, {"kid", "kid-7"}, {"typ", "JWT"}}));
  auto claims = json::parse(from_base64url(jwt.substr(first + 1, last - first - 1)));
  EXPECT_EQ(claims["iss"], "ci@p.iam.gserviceaccount.com");
  EXPECT_EQ(claims["aud"], web_.url("/token"));
  EXPECT_EQ(claims["scope"], "https://www.googleapis.com/auth/compute");
  EXPECT_EQ(claims["iat"], clock_.wall_ms / 1000);
  EXPECT_EQ(claims["exp"], clock_.wall_ms / 1000 + 3600);
}

TEST_F(GcpCredentialsTest, AUserRefreshes) {
  use_file(user());
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)->text(), "authorised user (GOOGLE_APPLICATION_CREDENTIALS)");
  EXPECT_EQ(token(**found), "token-1");
  EXPECT_EQ(form("grant_type"), "refresh_token");
  EXPECT_EQ(form("client_id"), "id");
  EXPECT_EQ(form("client_secret"), "canary+/1");
  EXPECT_EQ(form("refresh_token"), "canary&2");
}

TEST_F(GcpCredentialsTest, ATokenIsKeptWhileItIsGood) {
  use_file(service_account());
  auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(token(**found), "token-1");
  clock_.sleep(54min);
  EXPECT_EQ(token(**found), "token-1");
  clock_.sleep(1min);
  EXPECT_EQ(token(**found), "token-2") << "five minutes before its end";
  EXPECT_EQ(token(**found, true), "token-3") << "the last one was refused";
  EXPECT_EQ(token(**found), "token-3");
}

TEST_F(GcpCredentialsTest, AClockThatIsSetDoesNotKeepATokenAlive) {
  use_file(service_account());
  auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(token(**found), "token-1");
  clock_.sleep(1h);
  clock_.wall_ms -= 3'600'000;
  EXPECT_EQ(token(**found), "token-2");
}

TEST_F(GcpCredentialsTest, ATokenThatIsStillHeldOutlivesItsRenewal) {
  use_file(service_account());
  auto found = find();
  ASSERT_TRUE(found);
  auto held = (*found)->token(false);
  ASSERT_TRUE((*found)->token(true));
  EXPECT_EQ((*held)->reveal(), "token-1");
}

TEST_F(GcpCredentialsTest, ACommandPrintsAToken) {
  environment_["HOME"] = "/somewhere";
  environment_["SECRET"] = "canary";
  use_command("echo noise >&2; echo \"$#-$1-$2-$HOME-${SECRET:-unset}\"");
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)->text(), "token command " + folder_ / "tool");
  EXPECT_EQ(token(**found), "2-print-a-token-/somewhere-unset");
}

TEST_F(GcpCredentialsTest, ACommandIsFoundInPathAndSeesNoShell) {
  write_file(folder_ / "my-tool", "#!/bin/sh\necho \"$1\"", 0700);
  environment_["VAULT_TEST_GCP_TOKEN_COMMAND"] = "my-tool $(id);x";
  environment_["PATH"] = "/nowhere:" + folder_.path() + ":/bin:/usr/bin";
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(token(**found), "$(id);x");
  environment_["VAULT_TEST_GCP_TOKEN_COMMAND"] = "no-such-tool --secret=canary";
  EXPECT_EQ(error().what, "VAULT_TEST_GCP_TOKEN_COMMAND: no program no-such-tool in PATH");
  environment_["VAULT_TEST_GCP_TOKEN_COMMAND"] = "  ";
  EXPECT_EQ(error().what, "VAULT_TEST_GCP_TOKEN_COMMAND names no program");
}

TEST_F(GcpCredentialsTest, WhatACommandMaySayWrong) {
  std::string lead = "token command " + folder_ / "tool" + ": ";
  for (auto& [script, what] :
       std::map<std::string, std::string>{{"echo canary; echo canary >&2; exit 3", "exit status 3; run it by hand to see why"},
                                          {"echo two words", "what it prints is no token"},
                                          {"true", "what it prints is no token"},
                                          {"yes canary", "it prints more than a token"}}) {
    use_command(script);
    auto e = error();
    EXPECT_EQ(e.code, Errc::auth) << script;
    EXPECT_EQ(e.what, lead + what);
  }
}

TEST_F(GcpCredentialsTest, TheDefaultFileIsFoundWhereGcloudPutsIt) {
  std::filesystem::create_directories(folder_ / ".config/gcloud");
  write_file(folder_ / ".config/gcloud/application_default_credentials.json", user().dump());
  environment_["HOME"] = folder_.path();
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)->text(), "authorised user (" + folder_ / ".config/gcloud/application_default_credentials.json" + ")");
  environment_["CLOUDSDK_CONFIG"] = folder_ / "empty";
  EXPECT_EQ(error().code, Errc::auth) << "the other folder has none";
  use_command("echo from-command");
  EXPECT_EQ(token(), "from-command") << "comes before the default file";
  use_file(service_account());
  EXPECT_EQ(token(), "token-1") << "comes first";
}

TEST_F(GcpCredentialsTest, AMachineOfGooglesHasAnAccountOfItsOwn) {
  cloud_.gcp_metadata = web_.url("/");
  auto found = find();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)->text(), "service account of this machine (metadata server)");
  EXPECT_EQ(token(**found), "token-2");  // the first was to see whether there is one
  google_ = false;
  EXPECT_NE(error().what.find("what answers there is no metadata server"), std::string::npos);
  google_ = true, status_ = 404;
  EXPECT_NE(error().what.find("(the metadata server: no token: HTTP status 404)"), std::string::npos) << error().what;
}

TEST_F(GcpCredentialsTest, WithoutAnyItSaysWhatToDo) {
  auto e = error();
  EXPECT_EQ(e.code, Errc::auth);
  EXPECT_TRUE(
      e.what.starts_with("no Google credentials: set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or run "
                         "`gcloud auth application-default login`, or set VAULT_TEST_GCP_TOKEN_COMMAND="))
      << e.what;
}

TEST_F(GcpCredentialsTest, AFileOthersCanReadIsRefused) {
  for (unsigned mode : {0640U, 0604U, 0660U}) {
    use_file(service_account(), mode);
    auto e = error();
    EXPECT_EQ(e.code, Errc::auth);
    EXPECT_EQ(e.what, folder_ / "key.json" + " holds a secret and is open to others; chmod 600 " + folder_ / "key.json");
  }
}

TEST_F(GcpCredentialsTest, BadFilesAreNamed) {
  std::string path = folder_ / "key.json";
  environment_["GOOGLE_APPLICATION_CREDENTIALS"] = path;
  EXPECT_EQ(error().what, path + ": No such file or directory");
  environment_["GOOGLE_APPLICATION_CREDENTIALS"] = folder_.path();
  EXPECT_EQ(error().what, folder_.path() + " is not a file");
  write_file(path, "{canary", 0600);
  environment_["GOOGLE_APPLICATION_CREDENTIALS"] = path;
  EXPECT_EQ(error().what, path + " is no JSON object");
  write_file(path, std::string(70'000, ' '), 0600);
  EXPECT_EQ(error().what, path + " is too large for a key file");
  use_file({{"type", "external_account"}});
  EXPECT_TRUE(error().what.starts_with(path + " is of type \"external_account\", which cannot be used")) << error().what;
  for (auto name : {"client_email", "private_key_id", "private_key", "type"}) {
    auto account = service_account();
    account.erase(name);
    use_file(account);
    EXPECT_EQ(error().what, path + " has no \"" + name + "\"");
  }
  auto account = service_account();
  account["private_key"] = "canary";
  use_file(account);
  EXPECT_EQ(error().what,
            "service account ci@p.iam.gserviceaccount.com (GOOGLE_APPLICATION_CREDENTIALS): its private_key is no unencrypted RSA key");
}

TEST_F(GcpCredentialsTest, WhatGoogleAnswersIsToldApart) {
  use_file(user());
  struct Case {
    int status;
    std::string body;
    Errc code;
    std::string what;
  };
  for (auto& c : std::vector<Case>{
           {400, R"({"error":"invalid_grant","error_description":"Token has been revoked."})", Errc::auth,
            "no token: invalid_grant: Token has been revoked."},
           {401, R"({"error":"invalid_client"})", Errc::auth, "no token: invalid_client"},
           {403, "<html>canary</html>", Errc::auth, "no token: HTTP status 403"},
           {429, "{}", Errc::transport, "no token: HTTP status 429"},
           {503, "", Errc::transport, "no token: HTTP status 503"},
           {302, "{}", Errc::auth, "no token: HTTP status 302"},
           {200, R"({"access_token":"canary"})", Errc::transport, "no token: the reply holds none"},
           {200, R"({"access_token":7,"expires_in":3600})", Errc::transport, "no token: the reply holds none"},
           {200, R"(["canary"])", Errc::transport, "no token: the reply holds none"},
           {200, R"({"access_token":"canary","expi)", Errc::transport, "no token: the reply holds none"},
       }) {
    status_ = c.status, body_ = c.body.empty() ? " " : c.body;
    auto e = error();
    EXPECT_EQ(e.code, c.code) << c.body;
    EXPECT_EQ(e.what, "authorised user (GOOGLE_APPLICATION_CREDENTIALS): " + c.what);
  }
}

TEST_F(GcpCredentialsTest, NobodyAnsweringIsNoRefusal) {
  auto account = service_account();
  account["token_uri"] = "http://127.0.0.1:1/token";
  use_file(account);
  EXPECT_EQ(error().code, Errc::transport);
  account["token_uri"] = "https://oauth2.googleapis.com/token";
  use_file(account);
  auto e = error();
  EXPECT_EQ(e.code, Errc::auth);
  EXPECT_NE(e.what.find("a rehearsal talks to this machine only"), std::string::npos) << e.what;
}

}  // namespace
}  // namespace vt
