#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "orchestrator/model/money.hpp"
#include "orchestrator/model/result.hpp"

/// Reading what a provider sends without trusting its shape.
namespace vt {

using Json = nlohmann::json;

/// One JSON object: at most 64 levels, no key twice. Errc::transport otherwise: such a reply was cut, or comes from somebody else.
/// `whose`: "RunPod", for the text.
Result<Json> parse_json_object(const std::string& text, const char* whose);
/// The member, or null if it is absent or `from` is no object.
const Json& json_member(const Json& from, const char* key);
/// "" if it is absent or no text.
std::string json_text(const Json& from, const char* key);
/// nullopt if it is absent, no number or not finite.
std::optional<double> json_number(const Json& from, const char* key);
/// US dollars, to the nearest micro-dollar; nullopt if absent, no number, negative or above a billion.
std::optional<Money> json_usd(const Json& from, const char* key);

}  // namespace vt
