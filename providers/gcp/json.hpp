#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orchestrator/model/result.hpp"

/// Reading what Compute Engine sends without trusting its shape. Internal to the provider, like all of vt::gcp.
namespace vt::gcp {

using Json = nlohmann::json;

/// One JSON object: at most 64 levels, no key twice. Errc::transport otherwise: such a reply was cut or is not Compute Engine's.
Result<Json> parse_object(const std::string& text);
/// The member, or null if it is absent or `from` is no object.
const Json& member(const Json& from, const char* key);
/// The member as text: "" if it is absent or neither text nor a number. 64-bit numbers come as text anyway.
std::string text_of(const Json& from, const char* key);
/// The member as a number: 0 if it is absent or none; text is read too.
double number_of(const Json& from, const char* key);
/// "us-central1-b" of "https://…/zones/us-central1-b".
std::string last_part(const std::string& url);

}  // namespace vt::gcp
