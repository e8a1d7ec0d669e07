#include "orchestrator/store/codec.hpp"

#include <nlohmann/json.hpp>

namespace vt {

namespace {

using nlohmann::json;

struct ToJson {
  json operator()(std::monostate) const { return nullptr; }
  json operator()(const Value::List& list) const {
    auto out = json::array();
    for (auto& item : list) out.push_back(to_json(item));
    return out;
  }
  json operator()(const auto& scalar) const { return scalar; }
};

Value number_from(const json& j) {
  // Above the signed range only a double can hold it.
  bool fits = j.is_number_integer() && (!j.is_number_unsigned() || j.get<std::uint64_t>() <= INT64_MAX);
  return fits ? Value(j.get<std::int64_t>()) : Value(j.get<double>());
}

json key_fields(const ObservationKey& key) {
  return {{"run", key.run},     {"layer", key.layer}, {"host", key.host},       {"attempt", key.attempt},
          {"phase", key.phase}, {"check", key.check}, {"subject", key.subject}, {"sample", key.sample}};
}

json output_json(const Output& o) { return {{"head", o.head}, {"tail", o.tail}, {"bytes", o.bytes}, {"lines", o.lines}}; }

/// The field if it is there and of the right type, else the member's own default.
template <class T>
void read(const json& j, const char* field, T& into) {
  auto found = j.find(field);
  if (found == j.end()) return;
  constexpr bool text = std::is_same_v<T, std::string>, flag = std::is_same_v<T, bool>;
  if (text ? found->is_string() : flag ? found->is_boolean() : found->is_number_integer()) into = found->template get<T>();
}

}  // namespace

std::string json_text(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

json to_json(const Value& value) { return std::visit(ToJson{}, value.v); }

Value value_from(const json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number()) return number_from(j);
  if (j.is_string()) return j.get<std::string>();
  if (j.is_object()) return json_text(j);
  if (!j.is_array()) return {};
  Value::List list;
  for (auto& item : j) list.push_back(value_from(item));
  return list;
}

json to_json(const Values& values) {
  auto out = json::object();
  for (auto& [name, value] : values) out[name] = to_json(value);
  return out;
}

Values values_from(const json& j) {
  Values out;
  if (!j.is_object()) return out;
  for (auto& [name, value] : j.items()) out[name] = value_from(value);
  return out;
}

json to_json(const std::vector<ValueJudgement>& values) {
  auto out = json::array();
  for (auto& v : values)
    out.push_back({{"value", v.value}, {"measured", v.measured}, {"rule", v.rule}, {"verdict", v.verdict}, {"why", v.why}});
  return out;
}

std::vector<ValueJudgement> value_judgements_from(const json& j) {
  std::vector<ValueJudgement> out;
  if (!j.is_array()) return out;
  for (auto& item : j) {
    if (!item.is_object()) continue;
    auto& v = out.emplace_back();
    read(item, "value", v.value), read(item, "measured", v.measured), read(item, "rule", v.rule);
    read(item, "verdict", v.verdict), read(item, "why", v.why);
  }
  return out;
}

json to_json(const Judgement& judgement) {
  auto out = key_fields(judgement.key);
  out["verdict"] = name(judgement.verdict);
  out["cause"] = name(judgement.cause);
  out["reason"] = judgement.reason;
  out["capability"] = judgement.capability;
  out["evidence"] = judgement.evidence;
  out["values"] = to_json(judgement.values);
  out["origin"] = name(judgement.origin);
  out["at"] = judgement.at;
  return out;
}

json to_json(const Observation& observation) {
  auto out = key_fields(observation.key);
  out["origin"] = name(observation.origin);
  out["device"] = observation.device;
  out["agent"] = observation.agent;
  out["started"] = observation.started;
  out["took_ms"] = observation.took.count();
  out["exit_code"] = observation.exit_code ? json(*observation.exit_code) : json(nullptr);
  out["signal"] = observation.signal;
  out["timed_out"] = observation.timed_out;
  out["values"] = to_json(observation.values);
  out["out"] = output_json(observation.out);
  out["err"] = output_json(observation.err);
  out["problem"] = observation.problem;
  return out;
}

json to_json(const HostSpec& host) {
  return {{"address", host.address},   {"port", host.port},          {"user", host.user},
          {"identity", host.identity}, {"agent", host.agent},        {"host_key", host.host_key},
          {"jump", host.jump},         {"jump_key", host.jump_key},  {"known_hosts", host.known_hosts},
          {"serial", host.serial},     {"exclusive", host.exclusive}};
}

HostSpec host_spec_from(const json& j) {
  HostSpec host;
  if (!j.is_object()) return host;
  read(j, "address", host.address), read(j, "port", host.port), read(j, "user", host.user), read(j, "identity", host.identity);
  read(j, "agent", host.agent), read(j, "host_key", host.host_key), read(j, "known_hosts", host.known_hosts);
  read(j, "jump", host.jump), read(j, "jump_key", host.jump_key), read(j, "serial", host.serial), read(j, "exclusive", host.exclusive);
  return host;
}

}  // namespace vt
