#include "remote-agent/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "remote-agent/capture.hpp"
#include "remote-agent/lines.hpp"
#include "remote-agent/processes.hpp"
#include "remote-agent/worker_process.hpp"

namespace vt::agent {

namespace {

using nlohmann::json;

constexpr std::int64_t kGraceMs = 2000;                ///< between SIGTERM and SIGKILL
constexpr std::int64_t kUnkillableMs = 5000;           ///< after which a process that SIGKILL does not end is given up
constexpr std::int64_t kDrainMs = 1000;                ///< for output still in the pipes when the worker has ended
constexpr std::size_t kFramesKept = 16 * 1024 * 1024;  ///< of frames per job; the journal is not a place for bulk data
constexpr const char* kDiskFull = "disk full: journal";

/// Every orphan below a subreaper becomes its child: without children there are no descendants, and no need to look for them.
bool has_children() {
  siginfo_t ignored{};
  return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

class Supervisor {
 public:
  Supervisor(const protocol::Job& job, Sink& sink, Orders orders) : job_(job), sink_(sink), orders_(orders) { result_.id = job.id; }
  void run();

 private:
  enum class Phase { running, asked_to_end, killed, draining, over };

  void start();
  void turn();
  [[nodiscard]] std::int64_t wait_ms() const;
  void emit(json frame);
  void on_output(Fd&, Capture&);
  void on_frames();
  void on_frame(const std::string& line);
  void on_order();
  void on_signals();
  void on_time();
  void reap();
  void end(const std::string& why);
  void signal_everything(int signal);
  void drain();
  void finish();

  const protocol::Job& job_;
  Sink& sink_;
  Orders orders_;
  WorkerProcess worker_;
  Fd signals_;
  Capture out_, err_;
  protocol::LineReader frames_, lines_;
  Outbox to_worker_;
  protocol::JobResult result_;
  Phase phase_ = Phase::running;
  std::int64_t seq_ = 0, started_ = 0, next_ms_ = 0;  ///< next_ms_: when this phase ends
  std::size_t emitted_ = 0;
  pid_t helper_ = 0;  ///< a `sudo kill` of ours, not to be killed itself
  bool reaped_ = false, have_values_ = false;
  std::string doing_;  ///< what the check last said it does
};

void Supervisor::emit(json frame) {
  frame["job"] = job_.id, frame["seq"] = seq_ + 1;
  auto line = line_of(frame);
  if (line.size() > protocol::kMaxFrame || emitted_ + line.size() > kFramesKept) return end("the check reports too much");
  if (!sink_.put(line)) return end(kDiskFull);
  seq_++, emitted_ += line.size();
}

void Supervisor::start() {
  sigset_t mask;
  sigemptyset(&mask);
  for (int s : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&mask, s);
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  signals_ = Fd(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  signal(SIGPIPE, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  result_.started_ms = wall_ms();
  started_ = boot_ms(), next_ms_ = started_ + job_.deadline_ms;
  auto worker = start_worker(job_);
  if (!worker) {
    result_.error = worker.error().what, phase_ = Phase::over;
    return;
  }
  worker_ = std::move(worker).take();
  result_.pid = worker_.pid;
  emit({{"t", "started"}, {"pid", worker_.pid}});
  if (job_.kind == "agent")
    to_worker_.add(line_of({{"args", json::parse(job_.args, nullptr, false)},
                            {"group", job_.group},
                            {"rank", job_.rank},
                            {"world", job_.world},
                            {"deadline_ms", job_.deadline_ms}}));
}

std::int64_t Supervisor::wait_ms() const {
  if (phase_ == Phase::draining) return 10;
  return std::clamp<std::int64_t>(next_ms_ - boot_ms(), 0, 60'000);
}

void Supervisor::turn() {
  bool feed = to_worker_.pending() > 0;
  pollfd fds[] = {{signals_.get(), POLLIN, 0},
                  {orders_.fd, POLLIN, 0},
                  {worker_.out.get(), POLLIN, 0},
                  {worker_.err.get(), POLLIN, 0},
                  {worker_.frames.get(), POLLIN, 0},
                  {feed ? worker_.input.get() : -1, POLLOUT, 0},
                  {sink_.wants_write() ? sink_.fd() : -1, POLLOUT, 0}};
  poll(fds, std::size(fds), static_cast<int>(wait_ms()));
  if (fds[0].revents) on_signals();
  if (fds[1].revents) on_order();
  if (fds[2].revents) on_output(worker_.out, out_);
  if (fds[3].revents) on_output(worker_.err, err_);
  if (fds[4].revents) on_frames();
  if (fds[5].revents && !to_worker_.flush(worker_.input.get())) to_worker_ = {}, worker_.input.reset();
  if (fds[6].revents) sink_.flush();
  if (phase_ == Phase::draining) drain();
  else on_time();
}

void Supervisor::on_output(Fd& fd, Capture& to) {
  auto chunk = read_chunk(fd.get());
  to.add(chunk.bytes);
  if (chunk.end) fd.reset();
}

void Supervisor::on_frames() {
  auto chunk = read_chunk(worker_.frames.get());
  if (chunk.end) return worker_.frames.reset();
  if (!frames_.feed(chunk.bytes)) {
    worker_.frames.reset();
    return end("the check's report cannot be read: a line is too long");
  }
  while (auto line = frames_.next()) on_frame(*line);
}

void Supervisor::on_frame(const std::string& line) {
  auto frame = frame_of(line);
  auto t = frame ? text_in(*frame, "t") : "";
  if (t == "values") {
    have_values_ = true;
    result_.values = frame->value("values", json::object()).dump(-1, ' ', false, json::error_handler_t::replace);
    result_.device = text_in(*frame, "device");
    if (result_.error.empty()) result_.error = text_in(*frame, "error");
  } else if (t == "progress" || t == "metric" || t == "log" || t == "publish" || t == "await") {
    if (t == "progress") doing_ = text_in(*frame, "text");
    emit(std::move(*frame));
  } else {
    end("the check's report cannot be read");
  }
}

void Supervisor::on_order() {
  auto chunk = read_chunk(orders_.fd);
  bool usable = lines_.feed(chunk.bytes);
  while (auto line = usable ? lines_.next() : std::nullopt) {
    auto order = frame_of(*line);
    if (order && text_in(*order, "t") == "cancel") end("cancelled");
    if (order && text_in(*order, "t") == "deliver" && worker_.input) to_worker_.add(*line + "\n");
  }
  if (usable && !chunk.end) return;
  orders_.fd = -1;
  if (orders_.end_is_cancel) end("cancelled: the session ended");
}

void Supervisor::on_signals() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info)
    if (info.ssi_signo != SIGCHLD) end("cancelled: the supervisor was told to end");
  reap();
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == helper_) helper_ = 0;
    if (pid != worker_.pid || reaped_) continue;
    reaped_ = true;
    result_.took_ms = boot_ms() - started_;
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    phase_ = Phase::draining, next_ms_ = boot_ms() + kDrainMs;
  }
}

/// Asks the worker to end; whoever does not within the grace time is killed.
void Supervisor::end(const std::string& why) {
  if (result_.error.empty() && !result_.timed_out) result_.error = why;
  if (phase_ != Phase::running) return;
  phase_ = Phase::asked_to_end, next_ms_ = boot_ms() + kGraceMs;
  signal_everything(SIGTERM);
}

void Supervisor::on_time() {
  if (phase_ == Phase::over || boot_ms() < next_ms_) return;
  if (phase_ == Phase::running) {
    result_.timed_out = true;
    if (!doing_.empty()) result_.error = "timed out after " + std::to_string(job_.deadline_ms / 1000) + "s (was in " + doing_ + ")";
    end("");
  } else if (phase_ == Phase::asked_to_end) {
    phase_ = Phase::killed, next_ms_ = boot_ms() + kUnkillableMs;
    signal_everything(SIGKILL);
  } else {
    if (result_.error.empty()) result_.error = "the check hangs in the kernel and could not be killed";
    phase_ = Phase::over;
  }
}

void Supervisor::signal_everything(int signal) {
  auto all = descendants(getpid());
  if (!all.empty()) helper_ = signal_all(all, signal);
}

/// The worker has ended: what it started ends too, and what they wrote is read.
void Supervisor::drain() {
  auto left = has_children() ? descendants(getpid()) : std::vector<pid_t>{};
  std::erase(left, helper_);
  if (!left.empty() && !helper_) helper_ = signal_all(left, SIGKILL);
  bool quiet = left.empty() && !helper_ && !worker_.out && !worker_.err && !worker_.frames;
  if (quiet || boot_ms() >= next_ms_) phase_ = Phase::over;
}

void Supervisor::finish() {
  result_.out = out_.stream(), result_.err = err_.stream();
  if (!reaped_ && result_.pid) result_.took_ms = boot_ms() - started_;
  bool refused = job_.root && geteuid() != 0 && result_.exit_code == 1 && result_.err.head.rfind("sudo:", 0) == 0;
  if (refused) result_.error = "needs root: sudo -n refused";
  bool ended_well = result_.error.empty() && !result_.timed_out && result_.exit_code == 0;
  if (ended_well && job_.kind == "agent" && !have_values_) result_.error = "the check ended without a value";
  if (sink_.put_last(result_line(result_, seq_ + 1))) return;
  result_.out = result_.err = {}, result_.values.clear(), result_.error = kDiskFull;
  for (auto end = boot_ms() + 60'000; !sink_.put_last(result_line(result_, seq_ + 1)) && boot_ms() < end;) poll(nullptr, 0, 500);
}

void Supervisor::run() {
  start();
  while (phase_ != Phase::over) turn();
  finish();
}

}  // namespace

void supervise(const protocol::Job& job, Sink& sink, Orders orders) { Supervisor(job, sink, orders).run(); }

}  // namespace vt::agent
