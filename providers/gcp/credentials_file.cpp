#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/gcp/credentials_source.hpp"

namespace vt::gcp {

namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{64} * 1024;
constexpr const char* kGoogleTokenUri = "https://oauth2.googleapis.com/token";

Result<Secret> read_private(const std::string& path) {
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0) return fail(Errc::auth, path + ": " + std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return fail(Errc::auth, path + " is not a file");
  if ((about.st_mode & 077) != 0) return fail(Errc::auth, path + " holds a secret and is open to others; chmod 600 " + path);
  std::string text(kLargestFile + 1, '\0');
  auto n = read(file.get(), text.data(), text.size());
  if (n < 0) return fail(Errc::auth, path + ": " + std::strerror(errno));
  if (static_cast<std::size_t>(n) > kLargestFile) return fail(Errc::auth, path + " is too large for a key file");
  text.resize(static_cast<std::size_t>(n));
  return Secret(std::move(text));
}

/// Members of the file; notes the first that is missing.
class Members {
 public:
  explicit Members(const json& from) : from_(from) {}
  std::string take(const char* key) {
    auto at = from_.find(key);
    bool there = at != from_.end() && at->is_string() && !at->get_ref<const std::string&>().empty();
    if (!there && missing_.empty()) missing_ = key;
    return there ? at->get<std::string>() : "";
  }
  std::string take_or(const char* key, const char* otherwise) { return from_.contains(key) ? take(key) : otherwise; }
  [[nodiscard]] Status complete(const std::string& path) const {
    return missing_.empty() ? Status{} : Status(fail(Errc::auth, path + " has no \"" + missing_ + "\""));
  }

 private:
  const json& from_;
  std::string missing_;
};

}  // namespace

Result<std::unique_ptr<TokenSource>> file_source(const std::string& path, const std::string& origin, Http& http, const Clock& clock) {
  VT_TRY(Secret text, read_private(path));
  auto file = json::parse(text.reveal(), nullptr, false);
  if (!file.is_object()) return fail(Errc::auth, path + " is no JSON object");
  Members members(file);
  std::string type = members.take("type");
  if (type == "service_account") {
    ServiceAccount account{members.take("client_email"), members.take("private_key_id"), members.take_or("token_uri", kGoogleTokenUri),
                           Secret(members.take("private_key"))};
    VT_CHECK(members.complete(path));
    return service_account_source(std::move(account), origin, http, clock);
  }
  if (type == "authorized_user") {
    AuthorizedUser user{members.take("client_id"), members.take_or("token_uri", kGoogleTokenUri), Secret(members.take("client_secret")),
                        Secret(members.take("refresh_token"))};
    VT_CHECK(members.complete(path));
    return user_source(std::move(user), origin, http);
  }
  VT_CHECK(members.complete(path));
  return fail(Errc::auth, path + " is of type \"" + printable(type) +
                              "\", which cannot be used; expected service_account or authorized_user, or set "
                              "VAULT_TEST_GCP_TOKEN_COMMAND='gcloud auth print-access-token'");
}

}  // namespace vt::gcp
