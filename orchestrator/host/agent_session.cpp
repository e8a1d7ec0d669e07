#include "orchestrator/host/agent_session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/host/agent_link.hpp"
#include "orchestrator/host/facts.hpp"
#include "orchestrator/host/job_watch.hpp"
#include "orchestrator/model/failpoint.hpp"

namespace vt {

using nlohmann::json;
using protocol::JobResult;

namespace {

constexpr Duration kGrace{15'000};     ///< beyond the agent's own deadline
constexpr Duration kSlice{200};        ///< how soon a cancel is noticed
constexpr Duration kCancelTime{3000};  ///< for the agent to end a cancelled job
constexpr Duration kForgetTime{10'000};

}  // namespace

struct AgentSession::Impl {
  AgentLink link;
  CancelFlag cancel{};
  std::shared_ptr<Broker> broker{};

  Result<JobResult> follow(const protocol::Job&, JobWatch&, const json& request, Deadline);
  Status exchange(const protocol::Job&, std::size_t& delivered);
  Error end_early(const protocol::Job&, JobWatch&, Error);
  static json request_for(const protocol::Job&, const JobWatch&, bool attach);
};

AgentSession::AgentSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

AgentSession::~AgentSession() {
  if (impl_->link.is_open()) (void)impl_->link.send({{"t", "bye"}});
}

Result<std::unique_ptr<AgentSession>> AgentSession::start(Connector connector, const AgentBinaries& binaries, const std::string& run,
                                                          Deadline deadline, int heartbeat_ms) {
  std::unique_ptr<Impl> impl(new Impl{{std::move(connector), binaries, run, heartbeat_ms}});
  VT_CHECK(impl->link.open(deadline));
  return std::unique_ptr<AgentSession>(new AgentSession(std::move(impl)));
}

void AgentSession::join_groups(std::shared_ptr<Broker> broker) { impl_->broker = std::move(broker); }
void AgentSession::ask_when_lost(std::function<std::string()> fate) { impl_->link.ask_when_lost(std::move(fate)); }
const AgentHello& AgentSession::hello() const { return impl_->link.hello(); }
std::uint64_t AgentSession::uploaded_bytes() const { return impl_->link.uploaded(); }
void AgentSession::cancel() { impl_->cancel.set(); }

Result<Capabilities> AgentSession::probe(Deadline deadline) {
  VT_CHECK(impl_->link.open(deadline));
  VT_TRY(auto frame, impl_->link.ask({{"t", "probe"}}, "facts", deadline));
  return facts_from(frame);
}

Result<AgentSession::Claim> AgentSession::claim(const std::string& token, bool exclusive, Deadline deadline) {
  VT_CHECK(impl_->link.open(deadline));
  json request = {{"t", "claim"}, {"token", token}, {"exclusive", exclusive}};
  VT_TRY(auto frame, impl_->link.ask(request, "claimed", deadline));
  Claim claim{flag_field(frame, "ok"), text_field(frame, "holder")};
  if (claim.ok) impl_->link.keep_claim(request);
  return claim;
}

Status AgentSession::forget(const std::string& job) {
  VT_CHECK(impl_->link.open(Deadline::after(kForgetTime)));
  return impl_->link.send({{"t", "forget"}, {"job", job}});
}

/// A job that may be on the host already is attached from the last frame seen; a `run` the agent knows starts nothing.
json AgentSession::Impl::request_for(const protocol::Job& job, const JobWatch& watch, bool attach) {
  if (attach || watch.last() > 0) return {{"t", "attach"}, {"job", job.id}, {"from", watch.last()}};
  auto request = protocol::encode(job);
  request["t"] = "run";
  return request;
}

Result<JobResult> AgentSession::run(const protocol::Job& job, const JobListener& listener, bool attach, Duration reattach) {
  VT_FAILPOINT("agent.run");
  JobWatch watch(job, listener, impl_->broker.get());
  auto end = Deadline::after(Duration{job.deadline_ms} + kGrace);
  auto patience = Deadline::after(reattach);
  while (true) {
    auto seen = watch.last();
    auto linked = impl_->link.open(patience);
    auto result = linked ? impl_->follow(job, watch, Impl::request_for(job, watch, attach), end) : Result<JobResult>(fail(linked.error()));
    if (result) VT_FAILPOINT("agent.result");
    if (result || !job.detach || result.error().code != Errc::transport) return result;
    if (watch.last() > seen) patience = Deadline::after(reattach);
    if (patience.passed()) return result;
    impl_->link.drop();
    VT_CHECK(impl_->link.reopen(patience, impl_->cancel));
    end = Deadline::after(std::max(end.left(), kGrace));  // the result may be waiting since long
  }
}

/// Sends the request and reads frames until the result.
Result<JobResult> AgentSession::Impl::follow(const protocol::Job& job, JobWatch& watch, const json& request, Deadline end) {
  if (cancel.is_set()) return fail(Errc::cancelled, "cancelled");
  VT_CHECK(link.send(request));
  std::size_t delivered = 0;
  while (true) {
    VT_TRY(auto frame, link.next(end.earlier(kSlice)));
    if (frame) {
      VT_TRY(auto result, watch.take(*frame));
      if (result) return *std::move(result);
    }
    VT_CHECK(exchange(job, delivered));
    if (cancel.is_set()) return fail(end_early(job, watch, {Errc::cancelled, "cancelled"}));
    if (end.passed())
      return fail(end_early(job, watch, {Errc::timeout, "agent: no result of " + job.id + " in time; it did not keep the deadline"}));
  }
}

/// Hands on what the other ranks of the group published.
Status AgentSession::Impl::exchange(const protocol::Job& job, std::size_t& delivered) {
  if (!broker || job.group.empty()) return {};
  for (auto& message : broker->others(job.group, job.rank, delivered))
    VT_CHECK(link.send({{"t", "deliver"}, {"group", job.group}, {"key", message.key}, {"data", message.data}}));
  return {};
}

/// Cancels the job on the host and waits a little for it to be over, so that nothing runs on behind our back.
Error AgentSession::Impl::end_early(const protocol::Job& job, JobWatch& watch, Error why) {
  auto until = Deadline::after(kCancelTime);
  if (!link.send({{"t", "cancel"}, {"job", job.id}})) return why;
  while (!until.passed()) {
    auto frame = link.next(until);
    if (!frame || !*frame) break;
    auto result = watch.take(**frame);
    if (!result || *result) break;
  }
  return why;
}

}  // namespace vt
