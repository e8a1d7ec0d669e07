#include "orchestrator/host/job_watch.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/host/agent_channel.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

using nlohmann::json;

namespace {

double fraction_of(const json& frame) {
  auto at = frame.find("fraction");
  return at != frame.end() && at->is_number() ? at->get<double>() : -1;
}

}  // namespace

Result<std::optional<protocol::JobResult>> JobWatch::take(const json& frame) {
  auto t = text_field(frame, "t"), job = text_field(frame, "job");
  if (t == "error" && (job.empty() || job == job_.id)) {
    auto what = printable(text_field(frame, "what"));
    return fail(what == "no such job" ? Errc::not_found : Errc::refused, "agent: " + what);
  }
  if (job != job_.id) return std::nullopt;
  auto seq = integer_field(frame, "seq");
  if (seq <= last_) return std::nullopt;
  if (seq != last_ + 1) return fail(Errc::transport, "agent: frame " + std::to_string(last_ + 1) + " of " + job_.id + " is missing");
  last_ = seq;
  if (t != "result") {
    tell(frame);
    return std::nullopt;
  }
  auto result = protocol::decode_result(frame);
  if (!result) return fail(Errc::internal, "agent: unreadable result of " + job_.id);
  return result;
}

void JobWatch::tell(const json& frame) const {
  auto t = text_field(frame, "t");
  if (t == "progress") listener_.progress(text_field(frame, "text"), fraction_of(frame));
  else if (t == "metric" || t == "log") listener_.other(frame.dump(-1, ' ', false, json::error_handler_t::replace));
  else if (t == "publish" && broker_)
    broker_->publish(text_field(frame, "group"), {job_.rank, text_field(frame, "key"), text_field(frame, "data")});
}

}  // namespace vt
