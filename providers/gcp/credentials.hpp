#pragma once
#include <memory>
#include <string>

#include "orchestrator/model/result.hpp"
#include "orchestrator/model/secret.hpp"
#include "providers/cloud.hpp"

namespace vt {

/// Who we are at Google. Thread-safe.
class GcpCredentials {
 public:
  virtual ~GcpCredentials() = default;
  /// An access token that is good for some minutes more; kept until then. `renew`: the last one was refused, get another.
  /// Errc::auth if Google does not accept us, Errc::transport if it could not be asked.
  virtual Result<std::shared_ptr<const Secret>> token(bool renew) = 0;
  /// "service account ci@p.iam.gserviceaccount.com (GOOGLE_APPLICATION_CREDENTIALS)", for messages.
  [[nodiscard]] virtual std::string text() const = 0;
};

/// The first of these that is there (all through `cloud.environment`, none otherwise):
///   GOOGLE_APPLICATION_CREDENTIALS  a service-account key or an authorised user's file, readable by its owner alone
///   VAULT_TEST_GCP_TOKEN_COMMAND    a program with arguments that prints a token, e.g. "gcloud auth print-access-token"
///   application_default_credentials.json in $CLOUDSDK_CONFIG, else ~/.config/gcloud
///   the metadata server of the machine this runs on
/// Errc::auth, with what to do, if there is none.
Result<std::unique_ptr<GcpCredentials>> find_gcp_credentials(const CloudAccess& cloud, Http&, const Clock&);

}  // namespace vt
