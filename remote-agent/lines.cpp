#include "remote-agent/lines.hpp"

#include <nlohmann/json.hpp>

#include "remote-agent/base/os.hpp"

namespace vt::agent {

using nlohmann::json;
using protocol::JobResult;

std::string line_of(const json& frame) { return frame.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

std::optional<json> frame_of(const std::string& line) {
  auto frame = json::parse(line, nullptr, false);
  return frame.is_object() ? std::optional(std::move(frame)) : std::nullopt;
}

std::string text_in(const json& frame, const char* field) {
  auto at = frame.find(field);
  return at != frame.end() && at->is_string() ? at->get<std::string>() : "";
}

std::int64_t number_in(const json& frame, const char* field, std::int64_t missing) {
  auto at = frame.find(field);
  return at != frame.end() && at->is_number_integer() ? at->get<std::int64_t>() : missing;
}

std::string result_line(JobResult result, std::int64_t seq) {
  auto line = [&] {
    auto frame = encode(result);
    frame["seq"] = seq;
    return line_of(frame);
  };
  auto text = line();
  if (text.size() > protocol::kMaxFrame && result.values.size() > protocol::kMaxFrame / 4) {
    result.values.clear(), result.error = "the check's values are too large for a frame";
    text = line();
  }
  // Control characters take six bytes in JSON, so output full of them has to be cut further.
  for (auto keep = protocol::kKeep; text.size() > protocol::kMaxFrame; text = line()) {
    keep /= 2;
    for (auto* s : {&result.out, &result.err}) {
      s->head = s->head.substr(0, keep);
      s->tail = s->tail.substr(s->tail.size() - std::min(keep, s->tail.size()));
    }
  }
  return text;
}

JobResult no_result(const std::string& job, const std::string& error) {
  JobResult result;
  result.id = job, result.started_ms = wall_ms(), result.error = error;
  return result;
}

}  // namespace vt::agent
