#include "providers/gcp/json.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "providers/json.hpp"

namespace vt::gcp {

Result<Json> parse_object(const std::string& text) { return parse_json_object(text, "Compute Engine"); }

const Json& member(const Json& from, const char* key) { return json_member(from, key); }

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
