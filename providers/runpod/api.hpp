#pragma once
#include <optional>
#include <string>
#include <vector>

#include "providers/json.hpp"
#include "providers/provider.hpp"
#include "providers/runpod/pod.hpp"

namespace vt::runpod {

/// The reply to a create as the table in classify.cpp reads it.
CreateOutcome classify_create(const HttpResult&, const CloudAccess&);
/// A reply that is no success, as an Error: auth, not_found, transport (nobody was asked, or no clear answer: asking again may
/// help), refused. Of the reply only its own sentence is shown.
Error read_error(const HttpReply&);

/// RunPod's REST API v2, one transmission per call. Thread-safe.
class Api {
 public:
  Api(const CloudAccess&, Http&);
  [[nodiscard]] bool has_key() const { return !key_.empty(); }
  /// Eight hex digits that tell one API key from another and tell nothing else.
  [[nodiscard]] std::string key_mark() const;

  CreateOutcome create(const std::string& body);
  Result<Pod> pod(const std::string& id);
  /// Errc::not_found if there is none (any more), Errc::refused if RunPod will not, Errc::transport if it should be asked again.
  Status remove(const std::string& id);
  struct Pods {
    std::vector<Pod> pods;
    bool complete = false;        ///< every entry was a pod
    std::optional<EpochMs> date;  ///< RunPod's clock
  };
  Result<Pods> pods();
  /// GET of a path below the base; the reply is an object.
  Result<Json> get(const std::string& path);

 private:
  HttpResult send(const std::string& method, const std::string& path, const std::string& body = "");
  Result<HttpReply> read(const std::string& path);

  const CloudAccess& cloud_;
  Http& http_;
  Secret key_;
};

}  // namespace vt::runpod
