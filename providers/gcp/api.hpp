#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "providers/cloud.hpp"
#include "providers/gcp/credentials.hpp"

namespace vt::gcp {

/// A complete reply, whatever it says.
struct Reply {
  int status = 0;
  std::string body;
  Duration retry_after{0};  ///< asked for with a 429
  std::optional<EpochMs> date;
  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

/// No complete reply, or none at all.
struct NoReply {
  bool sent = true;  ///< false: Compute Engine cannot have acted on it
  Error error;
};

/// Everything of one label or name, over all pages and zones.
struct Items {
  std::vector<nlohmann::json> found;
  bool complete = true;  ///< no page, zone or scope was missing
  std::string missing;   ///< what was, one line
};

/// Signed requests to the REST API v1. Thread-safe. Paths are below the base and begin without a slash; what goes into them is
/// checked or percent-encoded by the caller.
class Api {
 public:
  Api(const CloudAccess& cloud, Http& http, GcpCredentials& credentials, const Clock& clock)
      : cloud_(cloud), http_(http), credentials_(credentials), clock_(clock) {}

  /// One transmission. After a 401, which Compute Engine sends without having read the request, a second one with a new token:
  /// this is safe even for a create. A reply may take `longest`, and no longer than is usual for the method.
  tl::expected<Reply, NoReply> send(const std::string& method, const std::string& path, const std::string& body = "",
                                    Duration longest = std::chrono::seconds(120));
  /// What is there. Errc::not_found for 404; other refusals as errors.hpp types them.
  Result<nlohmann::json> get(const std::string& path);
  /// A list over all its pages; `key` is the list inside each scope of an aggregated one ("instances"), empty for a plain one.
  /// An error only if not even the first page came. After two minutes, 64 MiB or a page that was there before it is incomplete.
  Result<Items> list(const std::string& path, const std::string& filter, const std::string& key = "");

  [[nodiscard]] const CloudAccess& cloud() const { return cloud_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  /// Sleeps as long as that takes in the cloud's time, but never past the deadline. False, and at once, if the user does not wait
  /// for confirmations any more.
  [[nodiscard]] bool pause(Duration real, Deadline) const;

 private:
  const CloudAccess& cloud_;
  Http& http_;
  GcpCredentials& credentials_;
  const Clock& clock_;
};

/// The reply as JSON, or why it is none. Errc::not_found for 404.
Result<nlohmann::json> json_of(const Reply&);
/// Percent-encoding of one path segment or query value.
std::string encoded(const std::string&);
/// "projects/P/zones/Z/instances/N"; `name` may be a numeric id.
std::string zonal(const std::string& project, const std::string& zone, const std::string& collection, const std::string& name = "");

}  // namespace vt::gcp
