#include "providers/gcp/json.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace vt::gcp {

namespace {

constexpr int kDeepest = 64;

/// Notices while reading what the parser itself would accept.
class Guard {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepest) broken_ = true;
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) broken_ = true;
    return !broken_;
  }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::vector<std::set<std::string>> keys_;
  bool broken_ = false;
};

}  // namespace

Result<Json> parse_object(const std::string& text) {
  Guard guard;
  auto parsed = Json::parse(
      text, [&](int depth, Json::parse_event_t event, const Json& value) { return guard(depth, event, value); }, false);
  if (guard.broken() || !parsed.is_object()) return fail(Errc::transport, "the reply is not the JSON that Compute Engine sends");
  return parsed;
}

const Json& member(const Json& from, const char* key) {
  static const Json none;
  auto it = from.is_object() ? from.find(key) : from.end();
  return it == from.end() ? none : *it;
}

std::string text_of(const Json& from, const char* key) {
  auto& value = member(from, key);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : "";
}

double number_of(const Json& from, const char* key) {
  auto& value = member(from, key);
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : 0;
}

std::string last_part(const std::string& url) { return url.substr(url.rfind('/') + 1); }

}  // namespace vt::gcp
