#include "providers/gcp/api.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "providers/gcp/errors.hpp"
#include "providers/gcp/json.hpp"
#include "providers/nap.hpp"

namespace vt::gcp {

namespace {

using std::chrono::seconds;

constexpr std::size_t kLargestReply = std::size_t{32} << 20;  ///< a page of 500 instances is about 2 MiB
constexpr std::size_t kLargestList = std::size_t{64} << 20;   ///< a server that never stops paging must not hold us
constexpr seconds kLongestList{120};

Duration retry_after(const HttpReply& reply) {
  auto it = reply.headers.find("retry-after");
  int value = 0;
  if (it == reply.headers.end()) return Duration{0};
  std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
  return seconds(std::clamp(value, 0, 3600));
}

/// Takes the resources out of one page and says what of it is missing.
class PageReader {
 public:
  explicit PageReader(std::string key) : key_(std::move(key)) {}

  void read(const Json& page) {
    if (!text_of(page, "kind").ends_with("List")) incomplete("a page is not a list");
    check(page);
    auto& items = member(page, "items");
    if (key_.empty()) return take(items);
    if (!items.is_null() && !items.is_object()) incomplete("a page is not an aggregated list");
    for (auto& scope : items) {
      check(scope);
      take(member(scope, key_.c_str()));
    }
  }
  void incomplete(const std::string& what) {
    items_.complete = false;
    items_.missing = what;
  }
  Items done() { return std::move(items_); }

 private:
  /// NO_RESULTS_ON_PAGE only says that a zone has none.
  void check(const Json& part) {
    auto code = text_of(member(part, "warning"), "code");
    if (!member(part, "warning").is_null() && code != "NO_RESULTS_ON_PAGE") incomplete("warning " + code);
    if (auto& lost = member(part, "unreachables"); !lost.empty()) incomplete("unreachable: " + last_part(lost.front().dump()));
  }
  void take(const Json& list) {
    if (!list.is_null() && !list.is_array()) return incomplete("a list is none");
    for (auto& item : list) items_.found.push_back(item);
  }

  std::string key_;
  Items items_;
};

}  // namespace

tl::expected<Reply, NoReply> Api::send(const std::string& method, const std::string& path, const std::string& body, Duration longest) {
  for (bool renew : {false, true}) {
    auto token = credentials_.token(renew);
    if (!token) return tl::unexpected(NoReply{false, token.error()});
    HttpRequest request;
    request.method = method;
    request.url = cloud_.gcp_base + path;
    request.content_type = body.empty() ? "" : "application/json";
    request.body = body;
    request.bearer = token->get();
    request.timeout = std::clamp<Duration>(longest, Duration{1}, method == "POST" ? seconds(120) : seconds(60));
    request.largest = kLargestReply;
    auto reply = http_.send(request);
    if (!reply) return tl::unexpected(NoReply{reply.error().sent, {Errc::transport, reply.error().what}});
    if (reply->status != 401 || renew) return Reply{reply->status, std::move(reply->body), retry_after(*reply), reply->date};
  }
  return tl::unexpected(NoReply{false, {Errc::auth, "Compute Engine did not accept our token"}});
}

Result<Json> Api::get(const std::string& path) {
  auto reply = send("GET", path);
  if (!reply) return fail(reply.error().error);
  return json_of(*reply);
}

Result<Items> Api::list(const std::string& path, const std::string& filter, const std::string& key) {
  PageReader reader(key);
  auto deadline = Deadline::after(kLongestList);
  std::set<std::string> tokens{""};
  std::size_t bytes = 0;
  for (std::string token;;) {
    auto query = "?maxResults=500&filter=" + encoded(filter) + (token.empty() ? "" : "&pageToken=" + encoded(token));
    auto reply = send("GET", path + query, "", deadline.left());
    auto page = reply ? json_of(*reply) : Result<Json>(fail(reply.error().error));
    if (!page && token.empty()) return fail(page.error());
    if (!page) {
      reader.incomplete(page.error().what);
      return reader.done();
    }
    reader.read(*page);
    bytes += reply->body.size();
    token = text_of(*page, "nextPageToken");
    if (token.empty()) return reader.done();
    if (!tokens.insert(token).second || bytes > kLargestList || deadline.passed()) {
      reader.incomplete("the list does not end");
      return reader.done();
    }
  }
}

bool Api::pause(Duration real, Deadline deadline) const {
  return nap(clock_, std::min(cloud_.paced(real), deadline.left()), [this] { return cloud_.urgent && cloud_.urgent(); });
}

Result<Json> json_of(const Reply& reply) {
  if (reply.ok()) return parse_object(reply.body);
  auto refusal = refusal_of_reply(reply.status, reply.body);
  if (reply.status == 404) return fail(Errc::not_found, refusal.what);
  return fail(as_error(refusal));
}

std::string encoded(const std::string& text) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '.' || c == '_' || c == '~') out += c;
    else out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

std::string zonal(const std::string& project, const std::string& zone, const std::string& collection, const std::string& name) {
  return "projects/" + encoded(project) + "/zones/" + encoded(zone) + "/" + collection + (name.empty() ? "" : "/" + encoded(name));
}

}  // namespace vt::gcp
