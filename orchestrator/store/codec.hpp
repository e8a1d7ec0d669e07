#pragma once
#include <nlohmann/json_fwd.hpp>

#include "orchestrator/model/event.hpp"
#include "orchestrator/model/observation.hpp"
#include "orchestrator/model/plan.hpp"

/// The model as JSON, for the store, the agent wire, --json and reports. One place, so that they agree.
namespace vt {

nlohmann::json to_json(const Value&);
Value value_from(const nlohmann::json&);  ///< objects become their JSON text
nlohmann::json to_json(const Values&);
Values values_from(const nlohmann::json&);
nlohmann::json to_json(const Event&);                    ///< {v, seq, at, run, layer, event: "check-judged", …fields}
std::optional<Event> event_from(const nlohmann::json&);  ///< nullopt: unknown event or version, or a field is missing
nlohmann::json to_json(const std::vector<ValueJudgement>&);
std::vector<ValueJudgement> value_judgements_from(const nlohmann::json&);
nlohmann::json to_json(const Judgement&);
nlohmann::json to_json(const Observation&);
nlohmann::json to_json(const HostSpec&);         ///< no secret in it: `identity` is a path
HostSpec host_spec_from(const nlohmann::json&);  ///< a missing field keeps its default
/// On one line; invalid UTF-8, which a host may send, becomes U+FFFD instead of an exception.
std::string json_text(const nlohmann::json&);

}  // namespace vt
