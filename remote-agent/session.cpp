#include "remote-agent/session.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "remote-agent/claim.hpp"
#include "remote-agent/detached.hpp"
#include "remote-agent/follower.hpp"
#include "remote-agent/lines.hpp"
#include "remote-agent/probing.hpp"

namespace vt::agent {

namespace {

using nlohmann::json;

constexpr std::int64_t kProbeMs = 10'000;
constexpr std::int64_t kGoodbyeMs = 4000;                  ///< attached jobs are asked, then killed, within this time
constexpr std::size_t kBacklog = 4 * protocol::kMaxFrame;  ///< above it no more frames are taken from jobs

class Session {
 public:
  explicit Session(const SessionOptions& options) : options_(options), claim_(options.root) {}
  int run();

 private:
  using Handler = void (Session::*)(const json&);
  static Handler handler(const std::string& t);

  void hello(const json&);
  void probe(const json&);
  void claim(const json&);
  void run_job(const json&);
  void attach(const json&);
  void cancel(const json&);
  void deliver(const json&);
  void forget(const json&);
  void bye(const json&) { over_ = true; }

  void turn();
  [[nodiscard]] int wait_ms() const;
  void on_input();
  void dispatch(const std::string& line);
  void pump_jobs();
  void pump_probes();
  void say_goodbye();
  void start(const protocol::Job&);
  bool order_group(const std::string& group, const std::string& line);
  void send_line(const std::string& line);
  void send(const json& frame) { send_line(line_of(frame)); }
  void send_error(const std::string& what, const std::string& job = "");
  void give_up(const std::string& what);

  const SessionOptions& options_;
  Claim claim_;
  Result<StateFolder> state_ = fail(Errc::internal, "no hello yet");
  std::map<std::string, std::unique_ptr<Follower>> jobs_;  ///< by id, until their result was passed on
  Probing probing_;
  protocol::LineReader input_;
  Outbox out_;
  std::int64_t heartbeat_ms_ = protocol::kHeartbeatMs, last_sent_ = boot_ms();
  bool greeted_ = false, over_ = false, listening_ = true;
  int exit_ = 0;
};

Session::Handler Session::handler(const std::string& t) {
  static const std::map<std::string, Handler> table = {
      {"hello", &Session::hello},     {"probe", &Session::probe},   {"claim", &Session::claim},
      {"run", &Session::run_job},     {"attach", &Session::attach}, {"cancel", &Session::cancel},
      {"deliver", &Session::deliver}, {"forget", &Session::forget}, {"bye", &Session::bye}};
  auto at = table.find(t);
  return at == table.end() ? nullptr : at->second;
}

void Session::send_line(const std::string& line) {
  out_.add(line);
  last_sent_ = boot_ms();
  if (!out_.flush(1)) over_ = true, listening_ = false;
}

void Session::send_error(const std::string& what, const std::string& job) {
  json frame = {{"t", "error"}, {"what", what}};
  if (!job.empty()) frame["job"] = job;
  send(frame);
}

void Session::give_up(const std::string& what) {
  send_error(what);
  over_ = true, exit_ = 2;
}

void Session::hello(const json& frame) {
  auto protocol = number_in(frame, "protocol", 0);
  if (protocol != protocol::kVersion) return give_up("this agent speaks protocol 1, not " + std::to_string(protocol));
  greeted_ = true;
  heartbeat_ms_ = std::clamp<std::int64_t>(number_in(frame, "heartbeat_ms", protocol::kHeartbeatMs), 20, 60'000);
  state_ = StateFolder::open();
  utsname system{};
  uname(&system);
  send({{"t", "hello"},
        {"protocol", protocol::kVersion},
        {"build", options_.build},
        {"arch", system.machine},
        {"pid", getpid()},
        {"uid", geteuid()},
        {"boot_id", boot_id()},
        {"now_ms", wall_ms()},
        {"dir", state_ ? state_->path() : ""}});
}

void Session::probe(const json& frame) {
  auto ms = std::clamp<std::int64_t>(number_in(frame, "deadline_ms", kProbeMs), 0, kProbeMs);
  if (!probing_.running()) probing_.start(options_.root, text_in(frame, "internet"), ms);
}

void Session::claim(const json& frame) {
  auto exclusive = frame.find("exclusive");
  auto answer = claim_.take(text_in(frame, "token"), exclusive == frame.end() || *exclusive != false);
  send({{"t", "claimed"}, {"ok", answer.ok}, {"holder", answer.holder}});
}

void Session::run_job(const json& frame) {
  auto job = protocol::decode_job(frame);
  if (!job) return send_error("run: a field is missing or of the wrong type", text_in(frame, "job"));
  if (jobs_.contains(job->id)) return send_error("the job runs already", job->id);
  if (auto existing = state_ ? state_->find(job->id) : std::nullopt) jobs_[job->id] = follow(*existing, 0);
  else start(*job);
}

void Session::start(const protocol::Job& job) {
  auto refuse = [&](const Error& error) {
    auto what = error.code == Errc::disk_full ? "disk full: journal (" + error.what + ")" : error.what;
    send_line(result_line(no_result(job.id, what), 1));
  };
  if (!job.detach) {
    auto started = start_attached(job);
    if (!started) return refuse(started.error());
    jobs_[job.id] = std::move(started).take();
    return;
  }
  if (!state_) return refuse(state_.error());
  auto started = start_detached(*state_, job, claim_.fd());
  auto folder = state_->find(job.id);  // also if another session was faster
  if (!folder) return refuse(started ? Error{Errc::internal, "the job's folder is gone"} : started.error());
  jobs_[job.id] = follow(*folder, 0);
}

void Session::attach(const json& frame) {
  auto id = text_in(frame, "job");
  auto folder = state_ ? state_->find(id) : std::nullopt;
  if (!folder) return send_error("no such job", id);
  jobs_[id] = follow(*folder, number_in(frame, "from", 0));
}

void Session::cancel(const json& frame) {
  auto id = text_in(frame, "job"), group = text_in(frame, "group");
  auto line = line_of({{"t", "cancel"}});
  if (!group.empty()) {
    if (!order_group(group, line)) send_error("no job in group " + group);
    return;
  }
  if (auto at = jobs_.find(id); at != jobs_.end()) {
    at->second->order(line);  // one that has just ended takes no order; its result is on the way
    return;
  }
  auto folder = state_ ? state_->find(id) : std::nullopt;
  if (!folder) return send_error("no such job", id);
  if (!folder->order(line)) send_error("the job has ended", id);
}

void Session::deliver(const json& frame) { order_group(text_in(frame, "group"), line_of(frame)); }

/// To every job of the group on this host, followed here or not. False: there is none.
bool Session::order_group(const std::string& group, const std::string& line) {
  bool any = false;
  for (auto& [id, job] : jobs_)
    if (job->attached() && job->group() == group) any = job->order(line) || any;
  for (auto& folder : state_ ? state_->all() : std::vector<JobFolder>{}) {
    auto meta = folder.meta();
    if (meta && meta->group == group) any = folder.order(line) || any;
  }
  return any;
}

void Session::forget(const json& frame) {
  auto id = text_in(frame, "job");
  auto folder = state_ ? state_->find(id) : std::nullopt;
  if (!folder) return;
  if (!folder->ended()) return send_error("the job still runs", id);
  jobs_.erase(id);
  folder->remove();
}

void Session::dispatch(const std::string& line) {
  auto frame = frame_of(line);
  if (!frame) return send_error("not a frame");
  auto t = text_in(*frame, "t");
  auto handle = handler(t);
  if (!handle) return send_error("unknown frame '" + t.substr(0, 40) + "'");
  if (!greeted_ && t != "hello") return give_up("expected hello first");
  (this->*handle)(*frame);
}

void Session::on_input() {
  auto chunk = read_chunk(0);
  bool usable = input_.feed(chunk.bytes);
  while (auto line = usable && !over_ ? input_.next() : std::nullopt) dispatch(*line);
  if (!usable) give_up("a frame is longer than 1 MiB");
  if (chunk.end) over_ = true;
}

void Session::pump_jobs() {
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    bool room = out_.pending() < kBacklog;
    bool ended = room && at->second->pump([&](const std::string& line) { send_line(line); });
    at = ended ? jobs_.erase(at) : std::next(at);
  }
}

void Session::pump_probes() {
  if (!probing_.running()) return;
  if (auto facts = probing_.pump()) send(*facts);
}

int Session::wait_ms() const {
  auto until = over_ ? kLookMs : last_sent_ + heartbeat_ms_ - boot_ms();
  if (probing_.running()) until = std::min(until, probing_.ends_ms() - boot_ms());
  if (std::any_of(jobs_.begin(), jobs_.end(), [](auto& job) { return !job.second->attached(); })) until = std::min(until, kLookMs);
  return static_cast<int>(std::clamp<std::int64_t>(until, 0, 1000));
}

void Session::turn() {
  std::vector<pollfd> fds = {{over_ ? -1 : 0, POLLIN, 0}, {out_.pending() ? 1 : -1, POLLOUT, 0}, {probing_.fd(), POLLIN, 0}};
  if (out_.pending() < kBacklog)
    for (auto& [id, job] : jobs_) fds.push_back({job->fd(), POLLIN, 0});
  poll(fds.data(), fds.size(), wait_ms());
  if (fds[0].revents) on_input();
  if (fds[1].revents && !out_.flush(1)) over_ = true, listening_ = false;
  pump_jobs();
  pump_probes();
  claim_.keep();
  bool idle = !over_ && out_.pending() == 0 && boot_ms() - last_sent_ >= heartbeat_ms_;
  if (idle) send({{"t", "heartbeat"}, {"now_ms", wall_ms()}});
}

void Session::say_goodbye() {
  probing_.stop();
  std::erase_if(jobs_, [](auto& job) { return !job.second->attached(); });
  for (auto& [id, job] : jobs_) job->close();
  for (auto end = boot_ms() + kGoodbyeMs; boot_ms() < end && (!jobs_.empty() || (listening_ && out_.pending()));) turn();
}

int Session::run() {
  signal(SIGPIPE, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGCHLD, SIG_IGN);
  umask(077);
  set_nonblocking(0), set_nonblocking(1);
  while (!over_) turn();
  say_goodbye();
  return exit_;
}

}  // namespace

int serve(const SessionOptions& options) { return Session(options).run(); }

}  // namespace vt::agent
