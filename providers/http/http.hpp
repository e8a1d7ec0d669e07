#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/secret.hpp"

namespace vt {

/// One request. Never repeated by the library or by us: see make_http().
struct HttpRequest {
  std::string method = "GET";
  std::string url;                                           ///< absolute, without user name or secrets
  std::vector<std::pair<std::string, std::string>> headers;  ///< no secret in here
  std::string content_type, body;                            ///< content_type empty: no body
  const Secret* bearer = nullptr;                            ///< sent as "Authorization: Bearer …"
  Duration timeout{60'000};                                  ///< for all of it
  std::size_t largest = std::size_t{1} << 20;                ///< bytes of the reply; more is an error
};

/// What came back, complete. Any status is a reply: judging it is the caller's business.
struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case; of repeated ones the last
  std::string body;
  std::optional<EpochMs> date;  ///< the server's clock, from its Date header
};

/// No complete reply. `sent`: the server may have acted on it (false: the connection or its TLS was never made, or the
/// address was refused by our own rules). `what` never holds a header or body.
struct HttpFailure {
  bool sent = true;
  bool refused_by_us = false;  ///< the address is not one we may talk to
  std::string what;
};
using HttpResult = tl::expected<HttpReply, HttpFailure>;

class Http {
 public:
  virtual ~Http() = default;
  virtual HttpResult send(const HttpRequest&) = 0;  ///< thread-safe
};

/// Who may be talked to. Real clouds: https only. Rehearsal: http(s) to a loopback address and nothing else; a token
/// server on this machine counts as loopback.
struct HttpRules {
  enum class Reach { internet, loopback } reach = Reach::internet;
  std::string user_agent;  ///< RunPod's front turns requests without one away
  std::string ca_file;     ///< empty: the system's
  /// True ends what has been under way for `grace`, as if no reply came. Not a POST: whether it made something would be unclear.
  std::function<bool()> abandon = {};
  Duration grace{2'000};  ///< a deletion that is asked for late is still sent
};

/// libcurl behind the rules of one request = one transmission: every request that is not GET or HEAD goes out on a fresh
/// connection that is not reused (libcurl sends a request again by itself when a reused connection dies, POST included); no
/// redirect is followed, no proxy or netrc is read from the environment, TLS >= 1.2 verified, replies bounded.
std::unique_ptr<Http> make_http(HttpRules);

}  // namespace vt
