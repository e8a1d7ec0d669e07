#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "providers/provider.hpp"

namespace vt::gcp {

/// What an error code of Compute Engine means to us. Patterns are those of glob_match(); the first row that fits counts.
struct ErrorRule {
  const char* code;  ///< of an operation, or "reason" of an HTTP error
  const char* message;
  Finding::Kind kind;
};
const std::vector<ErrorRule>& error_rules();

/// Why Compute Engine did not do what it was asked.
struct Refusal {
  Finding::Kind kind = Finding::Kind::policy;
  std::string code;                ///< "ZONE_RESOURCE_POOL_EXHAUSTED"; empty if the body was not the API's
  std::string what;                ///< one line, for people
  std::vector<std::string> zones;  ///< that it says have room
  [[nodiscard]] bool well_formed() const { return !code.empty(); }
};

/// Of a reply whose status is not 2xx.
Refusal refusal_of_reply(int status, const std::string& body);
/// Of an operation that is DONE with an error; capacity and quota come this way, not as an HTTP status.
Refusal refusal_of_operation(const nlohmann::json& operation);
/// As an error of a verb other than create.
Error as_error(const Refusal&);

}  // namespace vt::gcp
