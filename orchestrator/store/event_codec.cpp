#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

using nlohmann::json;

/// Names of the alternatives of EventBody, in its order. Part of the stored format: never changed.
constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kNames{
    "run-started",  "run-resumed",    "layer-moved", "host-ready", "capability-differs", "check-started", "check-progress",
    "check-judged", "resource-moved", "spent",       "noted",      "run-ended"};

// The fields of each event, once, for both directions: `io` writes them or reads them.
void fields(auto& io, event::RunStarted& e) { io("plan", e.plan), io("subject", e.subject); }
void fields(auto& io, event::RunResumed& e) { io("by", e.by); }
void fields(auto& io, event::LayerMoved& e) { io("state", e.state), io("detail", e.detail); }
void fields(auto& io, event::HostReady& e) { io("host", e.host), io("detail", e.detail); }
void fields(auto& io, event::CapabilityDiffers& e) {
  io("host", e.host), io("capability", e.capability), io("predicted", e.predicted), io("probed", e.probed), io("evidence", e.evidence);
}
void fields(auto& io, event::CheckStarted& e) { io("host", e.host), io("check", e.check), io("number", e.number), io("of", e.of); }
void fields(auto& io, event::CheckProgress& e) { io("host", e.host), io("check", e.check), io("text", e.text), io("fraction", e.fraction); }
void fields(auto& io, event::CheckJudged& e) {
  io("host", e.host), io("check", e.check), io("verdict", e.verdict), io("cause", e.cause), io("reason", e.reason);
  io("number", e.number), io("of", e.of);
}
void fields(auto& io, event::ResourceMoved& e) { io("name", e.name), io("state", e.state), io("detail", e.detail); }
void fields(auto& io, event::Spent& e) { io("total_micro_usd", e.total.micro); }
void fields(auto& io, event::Noted& e) { io("level", e.level), io("text", e.text); }
void fields(auto& io, event::RunEnded& e) { io("exit_code", e.exit_code), io("sentence", e.sentence); }

struct Writer {
  json out = json::object();
  void operator()(const char* field, const auto& value) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) out[field] = name(value);
    else out[field] = value;
  }
};

struct Reader {
  const json& in;
  bool ok = true;

  void operator()(const char* field, auto& into) {
    auto found = in.find(field);
    if (found == in.end() || !read(*found, into)) ok = false;
  }

 private:
  static bool read(const json& j, std::string& into) { return j.is_string() && (into = j.get<std::string>(), true); }
  static bool read(const json& j, int& into) { return j.is_number_integer() && (into = j.get<int>(), true); }
  static bool read(const json& j, std::int64_t& into) { return j.is_number_integer() && (into = j.get<std::int64_t>(), true); }
  static bool read(const json& j, double& into) { return j.is_number() && (into = j.get<double>(), true); }
  static bool read(const json& j, LayerState& into) { return j.is_string() && assign(into, layer_state_from(j.get<std::string>())); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static bool read(const json& j, Enum& into) { return j.is_string() && assign(into, from_name<Enum>(j.get<std::string>())); }
  template <class Enum>
  static bool assign(Enum& into, std::optional<Enum> found) {
    return found && (into = *found, true);
  }
};

template <class Body>
std::optional<EventBody> read_body(const json& j) {
  Body body;
  Reader reader{j};
  fields(reader, body);
  return reader.ok ? std::optional<EventBody>(std::move(body)) : std::nullopt;
}

template <std::size_t... I>
std::optional<EventBody> body_from(const json& j, std::string_view kind, std::index_sequence<I...>) {
  std::optional<EventBody> out;
  static_cast<void>(((kNames[I] == kind && (out = read_body<std::variant_alternative_t<I, EventBody>>(j), true)) || ...));
  return out;
}

}  // namespace

json to_json(const Event& event) {
  Writer writer;
  writer("v", event.version), writer("seq", event.sequence), writer("at", event.at), writer("run", event.run), writer("layer", event.layer);
  writer("event", kNames.at(event.body.index()));
  std::visit([&](auto body) { fields(writer, body); }, event.body);
  return std::move(writer.out);
}

std::optional<Event> event_from(const json& j) {
  if (!j.is_object()) return std::nullopt;
  Event event;
  std::string kind;
  Reader head{j};
  head("v", event.version), head("seq", event.sequence), head("at", event.at), head("run", event.run), head("layer", event.layer);
  head("event", kind);
  if (!head.ok || event.version != Event{}.version) return std::nullopt;
  auto body = body_from(j, kind, std::make_index_sequence<kNames.size()>{});
  if (!body) return std::nullopt;
  event.body = std::move(*body);
  return event;
}

}  // namespace vt
