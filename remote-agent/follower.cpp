#include "remote-agent/follower.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "remote-agent/lines.hpp"
#include "remote-agent/processes.hpp"
#include "remote-agent/sink.hpp"
#include "remote-agent/supervisor.hpp"

namespace vt::agent {

namespace {

constexpr const char* kSupervisorDied = "the check's supervisor died";

protocol::JobResult lost(const std::string& job, const std::string& why) {
  auto result = no_result(job, why);
  result.lost = true;
  return result;
}
using Emit = std::function<void(const std::string& line)>;

class Attached final : public Follower {
 public:
  Attached(const protocol::Job& job, Fd socket, pid_t supervisor)
      : Follower(job.group), job_(job.id), socket_(std::move(socket)), supervisor_(supervisor) {
    if (auto p = find_process(supervisor)) start_ticks_ = p->start_ticks;
  }
  [[nodiscard]] int fd() const override { return socket_.get(); }
  [[nodiscard]] bool attached() const override { return true; }
  void close() override { shutdown(socket_.get(), SHUT_WR); }
  bool order(const std::string& line) override {
    orders_.add(line);
    return orders_.flush(socket_.get());
  }
  bool pump(const Emit& emit) override {
    orders_.flush(socket_.get());
    auto chunk = read_chunk(socket_.get());
    bool usable = lines_.feed(chunk.bytes);
    while (auto line = usable ? lines_.next() : std::nullopt) {
      auto frame = frame_of(*line);
      if (!frame) continue;
      seq_ = number_in(*frame, "seq", seq_);
      emit(*line + "\n");
      if (text_in(*frame, "t") == "result") return true;
    }
    if (usable && !chunk.end) return false;
    kill_orphans(supervisor_, start_ticks_);
    emit(result_line(lost(job_, kSupervisorDied), seq_ + 1));
    return true;
  }

 private:
  std::string job_;
  Fd socket_;
  pid_t supervisor_;
  std::int64_t start_ticks_ = 0, seq_ = 0;
  protocol::LineReader lines_;
  Outbox orders_;
};

class Detached final : public Follower {
 public:
  Detached(JobFolder folder, JobMeta meta, std::int64_t from)
      : Follower(meta.group), folder_(std::move(folder)), meta_(std::move(meta)), from_(from) {
    journal_ = Fd(open(folder_.journal().c_str(), O_RDONLY | O_CLOEXEC));
  }
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] bool attached() const override { return false; }
  bool order(const std::string& line) override { return folder_.order(line); }
  bool pump(const Emit& emit) override {
    bool alive = meta_.alive();  // asked before reading: what a supervisor wrote last is then seen
    for (int chunks = 0; chunks < 8; chunks++) {
      auto chunk = read_chunk(journal_.get());
      if (!lines_.feed(chunk.bytes)) alive = false;
      while (auto line = lines_.next())
        if (pass_on(*line, emit)) return true;
      if (!chunk.end) continue;
      if (!alive) report_death(emit);
      return !alive;
    }
    return false;
  }

 private:
  bool pass_on(const std::string& line, const Emit& emit) {
    auto frame = frame_of(line);
    if (!frame) return false;
    seq_ = number_in(*frame, "seq", seq_);
    bool last = text_in(*frame, "t") == "result";
    if (seq_ > from_ || last) emit(line + "\n");
    return last;
  }
  void report_death(const Emit& emit) {
    bool rebooted = meta_.boot != boot_id();
    if (!rebooted) kill_orphans(meta_.supervisor, meta_.start_ticks);
    auto why = std::string(kSupervisorDied) + (rebooted ? ": the host was restarted" : "");
    emit(result_line(lost(meta_.job, why), seq_ + 1));
  }

  JobFolder folder_;
  JobMeta meta_;
  Fd journal_;
  std::int64_t from_, seq_ = 0;
  protocol::LineReader lines_;
};

}  // namespace

Result<std::unique_ptr<Follower>> start_attached(const protocol::Job& job) {
  auto [mine, theirs] = make_socket_pair();
  if (!mine) return fail(Errc::internal, "cannot make a socket pair");
  auto pid = fork();
  if (pid == 0) {
    setsid();
    prctl(PR_SET_NAME, "vt-supervisor");
    drop_descriptors({theirs.get()});
    SocketSink session(theirs.get());
    supervise(job, session, {theirs.get(), true});
    _exit(0);
  }
  if (pid < 0) return fail(Errc::internal, "cannot start a process");
  return std::make_unique<Attached>(job, std::move(mine), pid);
}

std::unique_ptr<Follower> follow(const JobFolder& folder, std::int64_t from) {
  return std::make_unique<Detached>(folder, folder.meta().value_or(JobMeta{}), from);
}

}  // namespace vt::agent
