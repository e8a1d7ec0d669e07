#include "providers/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace vt {

namespace {

constexpr int kDeepest = 64;
constexpr double kMostDollars = 1e9;

/// Notices while reading what the parser itself would accept.
class Guard {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (broken_) return false;  // nothing of it is kept: a reply of brackets alone must not grow here
    if (depth > kDeepest) broken_ = true;
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) broken_ = true;
    return !broken_;
  }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::vector<std::set<std::string>> keys_;
  bool broken_ = false;
};

}  // namespace

Result<Json> parse_json_object(const std::string& text, const char* whose) {
  Guard guard;
  auto parsed = Json::parse(
      text, [&](int depth, Json::parse_event_t event, const Json& value) { return guard(depth, event, value); }, false);
  if (guard.broken() || !parsed.is_object())
    return fail(Errc::transport, std::string("the reply is not the JSON that ") + whose + " sends");
  return parsed;
}

const Json& json_member(const Json& from, const char* key) {
  static const Json none;
  auto it = from.is_object() ? from.find(key) : from.end();
  return it == from.end() ? none : *it;
}

std::string json_text(const Json& from, const char* key) {
  auto& value = json_member(from, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<double> json_number(const Json& from, const char* key) {
  auto& value = json_member(from, key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

std::optional<Money> json_usd(const Json& from, const char* key) {
  auto value = json_number(from, key);
  if (!value || *value < 0 || *value > kMostDollars) return std::nullopt;
  return Money{std::llround(*value * 1e6)};
}

}  // namespace vt
