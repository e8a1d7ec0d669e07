#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "orchestrator/model/clock.hpp"
#include "providers/http/http.hpp"

namespace vt {

/// Where the clouds are and who we are there: the only thing that differs between a real run and a rehearsal.
struct CloudAccess {
  std::string gcp_base = "https://compute.googleapis.com/compute/v1/";
  std::string gcp_metadata = "http://metadata.google.internal/";  ///< for machines that run on Compute Engine themselves
  int gcp_ssh_port = 22;
  std::string gcp_login;  ///< who logs in where stand-in hosts know one user only; empty: whom the plan names
  std::string runpod_base = "https://api.runpod.io/v2/";
  /// Environment variable by name, empty if unset. Credentials are found through this and nothing else.
  std::function<std::string(const std::string&)> environment;
  HttpRules::Reach reach = HttpRules::Reach::internet;
  std::function<bool()> stopped;  ///< the user wants to end: waiting for a host to become ready ends at once. May be empty
  std::function<bool()> urgent;   ///< the user said so twice: a confirmation is not waited for either. May be empty
  bool rehearsal = false;
  double pace = 1;  ///< every wait of ours is multiplied by it; below 1 only against an emulator that runs as much faster

  [[nodiscard]] bool interrupted() const { return stopped && stopped(); }
  [[nodiscard]] Duration paced(Duration real) const {
    return Duration{static_cast<Duration::rep>(std::ceil(static_cast<double>(real.count()) * pace))};
  }
};

/// Whether a host with this address may be logged in to: a rehearsal enters hosts of this machine (127.0.0.0/8) only.
bool may_enter(const CloudAccess&, const std::string& address);
/// Whom the clients of these clouds may talk to, and as whom: "vault-test/0.1.0".
HttpRules http_rules(const CloudAccess&);

}  // namespace vt
