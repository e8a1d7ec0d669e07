#include "remote-agent/detached.hpp"

#include <fcntl.h>
#include <sys/prctl.h>

#include "remote-agent/base/os.hpp"
#include "remote-agent/processes.hpp"
#include "remote-agent/sink.hpp"
#include "remote-agent/supervisor.hpp"

namespace vt::agent {

namespace {

constexpr std::int64_t kStartMs = 10'000;

Status take_job(const StateFolder& state, JobFolder& folder, const protocol::Job& job) {
  auto self = find_process(getpid());
  if (!self) return fail(Errc::internal, "cannot read /proc/self/stat");
  VT_CHECK(folder.write_meta({job.id, job.group, boot_id(), getpid(), self->start_ticks}));
  if (!state.publish(folder, job.id)) return fail(Errc::refused, "");
  return {};
}

/// The supervisor's process. Answers on `report`: nothing = the job is ours and starts, or exists; else what is wrong.
[[noreturn]] void be_supervisor(const StateFolder& state, JobFolder folder, const protocol::Job& job, Fd report, int keep_open) {
  setsid();
  prctl(PR_SET_NAME, "vt-supervisor");
  drop_descriptors({report.get(), keep_open});
  auto taken = take_job(state, folder, job);
  if (!taken) {
    folder.remove();
    write_all(report.get(), taken.error().what);
    _exit(0);
  }
  Fd orders(open(folder.control().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  JournalSink journal(Fd(open(folder.journal().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)), folder.reserve());
  report.reset();
  supervise(job, journal, {orders.get(), false});
  _exit(0);
}

}  // namespace

Status start_detached(const StateFolder& state, const protocol::Job& job, int keep_open) {
  VT_TRY(auto folder, state.prepare(job.id));
  auto report = make_pipe();
  auto between = fork();
  if (between == 0) {
    if (fork() == 0) be_supervisor(state, folder, job, std::move(report.write), keep_open);
    _exit(0);
  }
  report.write.reset();
  if (between < 0) return fail(Errc::internal, "cannot start a process");
  if (!wait_readable(report.read.get(), kStartMs)) return fail(Errc::timeout, "the supervisor did not start");
  char why[512];
  auto n = read(report.read.get(), why, sizeof why);
  if (n > 0) return fail(Errc::storage, std::string(why, static_cast<std::size_t>(n)));
  if (!state.find(job.id)) return fail(Errc::internal, "cannot start a supervisor");
  return {};
}

}  // namespace vt::agent
