#include "providers/gcp/credentials.hpp"

#include <unistd.h>

#include <mutex>

#include "orchestrator/model/text.hpp"
#include "providers/gcp/credentials_source.hpp"

namespace vt {

namespace {

using gcp::TokenSource;

/// A token is handed out as long as it is good for this much longer, so that a request made with it is never late.
constexpr Duration kMargin = std::chrono::minutes(5);

class CachedCredentials final : public GcpCredentials {
 public:
  CachedCredentials(std::unique_ptr<TokenSource> source, const Clock& clock) : source_(std::move(source)), clock_(clock) {}

  Result<std::shared_ptr<const Secret>> token(bool renew) override {
    std::lock_guard lock(mutex_);
    // Both clocks: one may be set, the other does not go on in a snapshot.
    bool good = token_ && clock_.wall() < good_until_ && clock_.boot() < good_until_boot_;
    if (good && !renew) return token_;
    auto fetched = source_->fetch();
    if (!fetched) return fail(fetched.error().code, source_->text() + ": " + fetched.error().what);
    token_ = std::make_shared<const Secret>(std::move(fetched->value));
    good_until_ = clock_.wall() + (fetched->lifetime - kMargin).count();
    good_until_boot_ = clock_.boot() + fetched->lifetime - kMargin;
    return token_;
  }
  [[nodiscard]] std::string text() const override { return source_->text(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<TokenSource> source_;
  const Clock& clock_;
  std::shared_ptr<const Secret> token_;
  EpochMs good_until_ = 0;
  Duration good_until_boot_{0};
};

std::string found_in_path(const std::string& program, const std::string& path) {
  if (program.find('/') != std::string::npos) return program;
  for (auto& folder : split(path, ':'))
    if (auto candidate = folder + "/" + program; access(candidate.c_str(), X_OK) == 0) return candidate;
  return "";
}

Result<std::unique_ptr<TokenSource>> command(const std::string& line, const CloudAccess& cloud) {
  auto argv = split(line, ' ');
  if (argv.empty()) return fail(Errc::auth, "VAULT_TEST_GCP_TOKEN_COMMAND names no program");
  auto program = found_in_path(argv.front(), cloud.environment("PATH"));
  if (program.empty()) return fail(Errc::auth, "VAULT_TEST_GCP_TOKEN_COMMAND: no program " + printable(argv.front()) + " in PATH");
  argv.front() = program;
  std::vector<std::string> environment;
  for (std::string name : {"PATH", "HOME", "CLOUDSDK_CONFIG"})
    if (auto value = cloud.environment(name); !value.empty()) environment.push_back(name + "=" + value);
  return gcp::command_source(std::move(argv), std::move(environment));
}

/// Where gcloud keeps the application-default credentials; empty if there are none.
std::string default_file(const CloudAccess& cloud) {
  std::string folder = cloud.environment("CLOUDSDK_CONFIG"), home = cloud.environment("HOME");
  if (folder.empty() && !home.empty()) folder = home + "/.config/gcloud";
  auto path = folder + "/application_default_credentials.json";
  return !folder.empty() && access(path.c_str(), F_OK) == 0 ? path : "";
}

Result<std::unique_ptr<TokenSource>> find_source(const CloudAccess& cloud, Http& http, const Clock& clock) {
  if (auto path = cloud.environment("GOOGLE_APPLICATION_CREDENTIALS"); !path.empty())
    return gcp::file_source(path, "GOOGLE_APPLICATION_CREDENTIALS", http, clock);
  if (auto line = cloud.environment("VAULT_TEST_GCP_TOKEN_COMMAND"); !line.empty()) return command(line, cloud);
  if (auto path = default_file(cloud); !path.empty()) return gcp::file_source(path, path, http, clock);
  auto machine = gcp::metadata_source(cloud.gcp_metadata, http);
  if (auto token = machine->fetch(); !token)
    return fail(Errc::auth,
                "no Google credentials: set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or run `gcloud auth "
                "application-default login`, or set VAULT_TEST_GCP_TOKEN_COMMAND='gcloud auth print-access-token' (the metadata server: " +
                    token.error().what + ")");
  return machine;
}

}  // namespace

Result<std::unique_ptr<GcpCredentials>> find_gcp_credentials(const CloudAccess& cloud, Http& http, const Clock& clock) {
  VT_TRY(std::unique_ptr<TokenSource> source, find_source(cloud, http, clock));
  return std::make_unique<CachedCredentials>(std::move(source), clock);
}

}  // namespace vt
