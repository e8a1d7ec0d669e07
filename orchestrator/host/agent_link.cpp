#include "orchestrator/host/agent_link.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt {

using nlohmann::json;

namespace {

constexpr Duration kAttempt{15'000};  ///< most for one attempt to reach the host again
constexpr Duration kFirstPause{200}, kLongestPause{5000};
constexpr Duration kAskSpacing{5000};  ///< between two questions to a provider

/// Worth another attempt: everything but what a person has to change.
bool may_pass(const Error& error) { return error.retryable() || error.code == Errc::not_found; }

}  // namespace

void CancelFlag::set() {
  std::lock_guard lock(mutex_);
  set_ = true;
  changed_.notify_all();
}

void CancelFlag::sleep(Duration most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return set_.load(); });
}

Status AgentLink::open(Deadline deadline) {
  if (channel_) return {};
  VT_TRY(auto transport, connector_(deadline));
  VT_TRY(auto deployed, deploy(*transport, binaries_, deadline));
  uploaded_ += deployed.uploaded;
  VT_TRY(auto stream, transport->open(deployed.command, deadline));
  channel_ = std::make_unique<AgentChannel>(std::move(transport), std::move(stream), heartbeat_ms_);
  auto ready = greet(deadline);
  if (ready) ready = reclaim(deadline);
  if (!ready) drop();
  return ready;
}

Status AgentLink::reopen(Deadline deadline, CancelFlag& cancel) {
  for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    cancel.sleep(std::min(pause, deadline.left()));
    if (cancel.is_set()) return fail(Errc::cancelled, "cancelled");
    if (auto gone = fate(); !gone.empty()) return fail(Errc::lost, gone);
    auto opened = open(deadline.earlier(kAttempt));
    if (opened || !may_pass(opened.error())) return opened;
    if (deadline.passed()) return fail(Errc::transport, "the host could not be reached again: " + opened.error().what);
  }
}

std::string AgentLink::fate() {
  if (!fate_ || (not_before_ && !not_before_->passed())) return "";
  auto told = fate_();
  not_before_ = Deadline::after(kAskSpacing);
  return told;
}

Status AgentLink::greet(Deadline deadline) {
  json request = {{"t", "hello"}, {"protocol", protocol::kVersion}, {"run", run_}, {"heartbeat_ms", heartbeat_ms_}};
  VT_TRY(auto frame, ask(request, "hello", deadline));
  hello_ = {static_cast<int>(integer_field(frame, "protocol")),
            static_cast<int>(integer_field(frame, "uid")),
            text_field(frame, "build"),
            text_field(frame, "arch"),
            text_field(frame, "boot_id"),
            text_field(frame, "dir"),
            integer_field(frame, "now_ms")};
  if (hello_.protocol == protocol::kVersion) return {};
  return fail(Errc::refused,
              "agent speaks protocol " + std::to_string(hello_.protocol) + ", this needs " + std::to_string(protocol::kVersion));
}

void AgentLink::keep_claim(const json& request) { claim_ = request.dump(); }

Status AgentLink::reclaim(Deadline deadline) {
  if (claim_.empty()) return {};
  VT_TRY(auto frame, ask(json::parse(claim_), "claimed", deadline));
  if (flag_field(frame, "ok")) return {};
  return fail(Errc::refused, "the host was claimed by " + text_field(frame, "holder") + " while the connection was lost");
}

Status AgentLink::send(const json& frame) {
  if (!channel_) return fail(Errc::transport, "agent: not connected");
  auto sent = channel_->send(frame);
  if (!sent) drop();
  return sent;
}

Result<std::optional<json>> AgentLink::next(Deadline deadline) {
  if (!channel_) return fail(Errc::transport, "agent: not connected");
  auto frame = channel_->next(deadline);
  if (!frame) drop();
  return frame;
}

Result<json> AgentLink::ask(const json& request, const std::string& answer, Deadline deadline) {
  VT_CHECK(send(request));
  while (true) {
    VT_TRY(auto frame, next(deadline));
    if (!frame) return fail(Errc::timeout, "agent: no '" + answer + "' in time");
    auto t = text_field(*frame, "t");
    if (t == answer) return *std::move(frame);
    if (t == "error" && text_field(*frame, "job").empty()) return fail(Errc::refused, "agent: " + printable(text_field(*frame, "what")));
  }
}

}  // namespace vt
