#include "orchestrator/engine/host_runner.hpp"

#include <mutex>
#include <thread>

#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/engine/jobs.hpp"
#include "orchestrator/engine/log_fetch.hpp"
#include "orchestrator/engine/obstacles.hpp"
#include "orchestrator/engine/series.hpp"
#include "orchestrator/engine/stand_in.hpp"
#include "orchestrator/model/failpoint.hpp"

namespace vt {

namespace {

/// One attempt to connect and deploy, and how often and after what pause it is made.
constexpr Duration kConnectTime = std::chrono::seconds(30);
constexpr int kAttempts = 3;
constexpr Duration kPause = std::chrono::seconds(1);
/// Each event is a commit; what is over in a moment is only told when it is judged.
constexpr Duration kWorthTelling = std::chrono::seconds(1);
constexpr Duration kProbeTime = std::chrono::seconds(30);

/// Cancels what runs when the operator stops the run or the layer's time is over.
class Canceller {
 public:
  Canceller(const StopFlag& stop, std::optional<Deadline> budget, const std::function<void()>& cancel)
      : thread_([&stop, budget, cancel](const std::stop_token& ended) {
          while (!ended.stop_requested()) {
            if (stop.requested() || (budget && budget->passed())) cancel();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
        }) {}

 private:
  std::jthread thread_;
};

class HostRunner {
 public:
  HostRunner(Context& c, const HostTask& task) : c_(c), task_(task), masker_(c.secrets) {}

  Status run() {
    Status met = meet();
    if (!met) return give_up(explained(met.error()));
    task_.advance(LayerState::execute, "");
    Canceller canceller(c_.stop, task_.time_budget, [this] { cancel(); });
    for (auto& planned : task_.plan.checks) {
      ++number_;
      if (auto status = settle(*planned.check); !status) return give_up(status.error());
    }
    return {};
  }

 private:
  // --- meeting the host

  Status meet() {
    if (c_.stop.requested()) return fail(Errc::cancelled, "interrupted");
    VT_CHECK(start_session());
    auto& hello = session_->hello();
    VT_CHECK(event(event::HostReady{task_.host.name,
                                    hello.arch + ", agent " + hello.build + (session_->uploaded_bytes() ? ", uploaded" : ", cached")}));
    if (task_.claim) VT_CHECK(claim());
    task_.advance(LayerState::probe, "");
    return learn();
  }

  /// A host that just booted refuses at first; one lost packet is no verdict either.
  Status start_session() {
    for (int attempt = 1;; ++attempt) {
      Status started = try_session();
      bool late = task_.time_budget && task_.time_budget->passed();
      if (started || !started.error().retryable() || attempt == kAttempts || c_.stop.requested() || late) return started;
      VT_CHECK(still_there(started.error()));
      c_.clock.sleep(kPause);
    }
  }

  Status try_session() {
    task_.advance(LayerState::connect, task_.host.name);
    auto connector = [this](Deadline d) -> Result<std::unique_ptr<Transport>> {
      auto transport = c_.connect(task_.host, d);
      if (transport) task_.advance(LayerState::deploy, (*transport)->where());
      return transport;
    };
    auto agents = c_.agents;
    agents.payload = task_.plan.layer->payload;
    VT_TRY(auto session, theirs(AgentSession::start(connector, agents, task_.run, Deadline::after(kConnectTime))));
    session->join_groups(task_.group.broker());
    session->ask_when_lost(task_.fate);
    std::lock_guard lock(session_mutex_);
    session_ = std::move(session);
    return {};
  }

  /// A full disk there is this host's trouble; Errc::disk_full from here would mean ours, and end the whole run.
  template <class T>
  static Result<T> theirs(Result<T> result) {
    if (!result && result.error().code == Errc::disk_full) return fail(Errc::refused, result.error().what);
    return result;
  }

  /// Called by the canceller's thread while a check runs in ours.
  void cancel() {
    std::lock_guard lock(session_mutex_);
    if (session_) session_->cancel();
  }

  Status claim() {
    VT_TRY(auto claim, theirs(session_->claim(task_.run + "/" + task_.plan.layer->name, true, Deadline::after(kProbeTime))));
    if (claim.ok) return {};
    return fail(Errc::refused, "the host is claimed by " + claim.holder + "; two runs on one machine would disturb each other");
  }

  Status learn() {
    VT_TRY(facts_, theirs(session_->probe(Deadline::after(kProbeTime))));
    complete_facts();
    VT_CHECK(c_.store.add_capabilities(task_.run, task_.plan.layer->name, task_.host.name, facts_));
    if (c_.rehearsal) return {};  // a stand-in is not what was predicted, and need not be
    for (auto& d : differences(task_.predicted, facts_))
      VT_CHECK(event(
          event::CapabilityDiffers{task_.host.name, d.probed.id, d.predicted.value->text(), d.probed.value->text(), d.probed.evidence}));
    return right_machine();
  }

  /// A probe wins; the plan's declaration fills in what it could not find out, a prediction only what it did not look at.
  void complete_facts() {
    for (auto& [id, fact] : task_.predicted.all())
      if (!facts_.find(id)) facts_.set(fact);
    for (auto& [id, value] : task_.plan.layer->declares) {
      auto fact = facts_.find(id);
      if (!fact || !fact->value) facts_.set({id, value, "declared in the plan", FactOrigin::declared, FactScope::host});
    }
  }

  Status right_machine() {
    auto& wanted = task_.host.access.serial;
    auto fact = facts_.find("host.serial");
    if (wanted.empty()) return {};
    if (!fact || !fact->value) return event(event::Noted{"warn", "serial number not readable; the plan expects " + wanted});
    if (fact->value->text() == wanted) return {};
    return fail(Errc::refused, "this is machine " + fact->value->text() + ", the plan says " + wanted);
  }

  // --- one check

  ObservationKey key_of(const Check& check) const {
    ObservationKey key;
    key.run = task_.run;
    key.layer = task_.plan.layer->name;
    key.host = task_.host.name;
    key.check = check.id;
    if (auto all = task_.together.find(check.id); all != task_.together.end()) key.attempt = all->second;
    else if (auto at = task_.earlier.find(check.id); at != task_.earlier.end()) key.attempt = at->second.key.attempt + 1;
    return key;
  }

  /// The verdict from before an interruption that stays; nullptr: the check runs.
  [[nodiscard]] const Judgement* kept(const std::string& check) const {
    auto at = task_.earlier.find(check);
    bool again = at == task_.earlier.end() || is_repeated_by_resume(at->second) || task_.together.contains(check);
    return again ? nullptr : &at->second;
  }

  Status settle(const Check& check) {
    if (auto earlier = kept(check.id)) {
      note(*earlier);
      task_.group.stay_away(check.id, task_.host.name);
      return {};
    }
    bool late = task_.time_budget && task_.time_budget->passed();
    Circumstances now{
        *task_.plan.layer, task_.host.access, facts_, so_far_, c_.stop.requested(), late, c_.rehearsal ? &task_.predicted : nullptr,
        self_test_missed_};
    if (auto found = obstacle(check, key_of(check), now)) {
      auto on_cpu = c_.rehearsal || c_.cpu ? stand_in(check, key_of(check), now) : std::nullopt;
      if (on_cpu) return begin(*on_cpu);
      task_.group.stay_away(check.id, task_.host.name);
      return record(nullptr, *found);
    }
    return begin(check);
  }

  Status begin(const Check& check) {
    if (check.typical >= kWorthTelling || check.detached || check.timeout >= kDetachFrom)
      VT_CHECK(event(event::CheckStarted{task_.host.name, check.id, number_, total()}));
    return measure(check);
  }

  Status measure(const Check& check) {
    auto key = key_of(check);
    if (std::holds_alternative<ProbeRun>(check.how)) return judge(check, observe_fact(check, key, facts_));
    auto job = make_job(check, key, c_.secrets);
    if (check.scope == Scope::group) {
      auto alone = join_group(check, job);
      if (!alone) return fail(alone.error());
      if (*alone) return record(nullptr, **alone);
    }
    auto result = run_job(check, job);
    if (result) return judge(check, observe(check, key, *result));
    if (result.error().code == Errc::cancelled) {
      bool stopped = c_.stop.requested();
      return record(nullptr, verdict_only(key, Verdict::cancelled, stopped ? Cause::operator_ : Cause::budget,
                                          stopped ? "interrupted" : "the layer's time is used up"));
    }
    auto why = explained(result.error());
    VT_CHECK(record(nullptr, verdict_only(key, Verdict::error, Cause::infrastructure, why.what)));
    return fail(why);
  }

  /// Waits for the other hosts of the layer and takes a rank among them. A verdict if there is nobody to do it with.
  Result<std::optional<Judgement>> join_group(const Check& check, protocol::Job& job) {
    auto key = key_of(check);
    using Found = std::optional<Judgement>;
    if (task_.group.size() < 2) {
      task_.group.stay_away(check.id, task_.host.name);
      auto j = verdict_only(key, Verdict::skip, Cause::capability, "hosts>=2: the layer has one host");
      j.capability = "hosts>=2", j.evidence = "the layer has one host";
      return Found(j);
    }
    auto seat = task_.group.meet(check.id, task_.host.name, c_.stop, group_deadline());
    if (!seat && seat.error().code == Errc::cancelled) return fail(seat.error());
    if (!seat) return Found(verdict_only(key, Verdict::blocked, Cause::infrastructure, seat.error().what));
    if (seat->world < 2) return Found(verdict_only(key, Verdict::blocked, Cause::infrastructure, "no other host of the layer takes part"));
    job.group = group_of(key), job.rank = seat->rank, job.world = seat->world;
    return Found();
  }

  /// The others may be busy with any other check of the layer first.
  [[nodiscard]] Deadline group_deadline() const {
    Duration longest = kAttempts * (kConnectTime + kPause);
    for (auto& planned : task_.plan.checks) longest += planned.check->timeout;
    return task_.time_budget ? task_.time_budget->earlier(longest) : Deadline::after(longest);
  }

  /// A host that stopped answering because its provider took it away is told apart from one that broke.
  [[nodiscard]] Error explained(Error why) const {
    bool silent = why.code == Errc::transport || why.code == Errc::timeout;
    if (!silent) return why;
    auto there = still_there(why);
    return there ? why : there.error();
  }

  /// Errc::lost if its provider says that the host is gone: nobody tries to reach it any longer then.
  [[nodiscard]] Status still_there(const Error& why) const {
    auto fate = task_.fate ? task_.fate() : std::string();
    return fate.empty() ? Status{} : Status(fail(Errc::lost, fate + " (" + why.what + ")"));
  }

  /// A cut connection during a short check: meet the host again and repeat the check once, unless it disturbs.
  Result<protocol::JobResult> run_job(const Check& check, const protocol::Job& job) {
    VT_FAILPOINT("agent.run");
    JobListener listener;
    listener.progress = [&](const std::string& text, double fraction) {
      (void)c_.store.add_event(task_.run, task_.plan.layer->name,
                               event::CheckProgress{task_.host.name, check.id, masker_.apply(text), fraction});
    };
    series_ = {};
    listener.other = [this, began = c_.clock.boot()](const std::string& frame) { series_.take(frame, (c_.clock.boot() - began).count()); };
    auto result = theirs(session_->run(job, listener));
    if (!job.group.empty()) return result;  // the other ranks would not wait for a second try
    if (result && result->lost && !check.disruptive) return run_anew(check, job, listener);
    bool cut = !result && (result.error().code == Errc::transport || result.error().code == Errc::timeout);
    if (!cut || job.detach || check.disruptive || c_.stop.requested()) return result;
    VT_CHECK(still_there(result.error()));
    VT_CHECK(event(event::Noted{"warn", check.id + ": " + result.error().what + "; connecting again"}));
    VT_CHECK(start_session());
    if (task_.claim) VT_CHECK(claim());
    return session_->run(job, listener);
  }

  /// The host was restarted under a detached job, or its supervisor was killed: nothing was measured, so it starts again.
  Result<protocol::JobResult> run_anew(const Check& check, const protocol::Job& job, const JobListener& listener) {
    VT_CHECK(event(event::Noted{"warn", check.id + " was lost on its host; starting it again"}));
    VT_CHECK(session_->forget(job.id));
    return theirs(session_->run(job, listener));
  }

  Status judge(const Check& check, Observation seen) {
    VT_FAILPOINT("agent.result");
    seen.agent = session_->hello().build;
    if (seen.started == 0) seen.started = c_.clock.wall();
    if (c_.rehearsal) seen.origin = EvidenceOrigin::rehearsal;
    masker_.apply(seen);
    bool on_cpu = stands_in(check);
    if (on_cpu) seen.origin = EvidenceOrigin::rehearsal;  // real arithmetic, but not on what the check is about
    Judgement j = evaluate(check, task_.plan.layer->expect, seen, c_.baselines);
    j = self_tested(std::move(j));
    if (counts_against(j.verdict))
      if (auto fate = task_.fate ? task_.fate() : std::string(); !fate.empty()) return taken_away(seen.key, fate);
    if (on_cpu) j.reason = "cpu: " + (j.reason.empty() ? "the processor stood in for the GPU" : j.reason);
    else if (c_.rehearsal) j = rehearsed(std::move(j));
    if (j.verdict == Verdict::fail || j.verdict == Verdict::warn || j.verdict == Verdict::error)
      if (auto fetched = fetch_logs(c_, *session_, masker_, check, seen); !fetched && fetched.error().code == Errc::disk_full)
        return fetched;
    VT_CHECK(c_.store.add_series(series_.rows(seen.key)));
    VT_CHECK(record(&seen, j));
    if (auto job = make_job(check, seen.key, {}); job.detach) (void)session_->forget(job.id);
    return {};
  }

  /// What a check says while its host is being taken away is about the provider, not about the host.
  Status taken_away(const ObservationKey& key, const std::string& fate) {
    VT_CHECK(record(nullptr, verdict_only(key, Verdict::error, Cause::infrastructure, fate)));
    return fail(Errc::lost, fate);
  }

  Status record(const Observation* seen, Judgement j) {
    j.at = c_.clock.wall();
    if (c_.rehearsal) j.origin = EvidenceOrigin::rehearsal;
    note(j);
    EventBody told = event::CheckJudged{task_.host.name, j.key.check, j.verdict, j.cause, j.reason, number_, total()};
    return c_.store.add_result(seen, j, &told);
  }

  void note(const Judgement& j) {
    so_far_[j.key.check] = j.verdict;
    self_test_missed_ |= j.key.check == kSelfTest && j.cause == Cause::self_test;
  }

  static bool stands_in(const Check& check) {
    auto run = std::get_if<AgentRun>(&check.how);
    if (!run || !check.cpu) return false;
    auto device = run->args.find("device");
    return device != run->args.end() && device->second == Value("cpu");
  }

  /// The host is lost: everything that has no verdict is blocked by that, nothing stays silent.
  Status give_up(const Error& why) {
    if (why.code == Errc::storage || why.code == Errc::disk_full) return fail(why);
    bool stopped = why.code == Errc::cancelled;
    for (auto& planned : task_.plan.checks) {
      auto& id = planned.check->id;
      if (so_far_.contains(id) || kept(id)) continue;
      auto j = stopped ? verdict_only(key_of(*planned.check), Verdict::cancelled, Cause::operator_, "interrupted")
                       : verdict_only(key_of(*planned.check), Verdict::blocked, Cause::infrastructure, why.what);
      VT_CHECK(record(nullptr, j));
    }
    return fail(why);
  }

  Status event(const EventBody& body) { return c_.store.add_event(task_.run, task_.plan.layer->name, body); }
  [[nodiscard]] int total() const { return static_cast<int>(task_.plan.checks.size()); }

  Context& c_;
  const HostTask& task_;
  Masker masker_;
  std::mutex session_mutex_;  ///< guards the pointer while it is replaced
  std::unique_ptr<AgentSession> session_;
  Capabilities facts_;
  std::map<std::string, Verdict> so_far_;
  SeriesCollector series_;  ///< of the check that runs
  bool self_test_missed_ = false;
  int number_ = 0;
};

}  // namespace

Status run_host(Context& c, const HostTask& task) { return HostRunner(c, task).run(); }

bool is_repeated_by_resume(const Judgement& j) {
  return j.verdict == Verdict::cancelled || j.verdict == Verdict::blocked ||
         (j.verdict == Verdict::error && j.cause == Cause::infrastructure);
}

}  // namespace vt
