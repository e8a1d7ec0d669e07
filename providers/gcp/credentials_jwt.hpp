#pragma once
#include <string>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/model/secret.hpp"

namespace vt::gcp {

/// The parts of a service account's key file.
struct ServiceAccount {
  std::string email, key_id, token_uri;
  Secret private_key;  ///< PEM
};

/// A token request in the name of the account, good for an hour: a JWT signed RS256 (RFC 7515, 7523). Errc::auth if the key
/// is none.
Result<Secret> signed_assertion(const ServiceAccount&, EpochMs now);

}  // namespace vt::gcp
