#include "remote-agent/gpu_child.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/lines.hpp"

namespace vt::agent {

namespace {

/// Between fork and exec: only calls that are safe there, since this process has threads.
[[noreturn]] void become(char* const* words, int input, int frames, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(input, 0), dup2(frames, 1);
  execv("/proc/self/exe", words);
  _exit(127);
}

}  // namespace

Result<GpuChild> GpuChild::start(const std::string& check, const std::string& where) {
  auto frames = make_pipe(), input = make_pipe();
  if (!frames.read || !input.read) return fail(Errc::internal, std::string("cannot start a process: ") + std::strerror(errno));
  std::array<std::string, 4> text = {"vault-test-agent", "--gpu-worker", check, where};
  std::array<char*, 5> words = {text[0].data(), text[1].data(), text[2].data(), text[3].data(), nullptr};
  GpuChild child;
  auto parent = getpid();
  child.pid_ = fork();
  if (child.pid_ == 0) become(words.data(), input.read.get(), frames.write.get(), parent);
  if (child.pid_ < 0) return fail(Errc::internal, std::string("cannot start a process: ") + std::strerror(errno));
  setpgid(child.pid_, child.pid_);  // both sides do it, so that it is done whoever comes first
  child.frames_ = std::move(frames.read), child.input_ = std::move(input.write);
  set_nonblocking(child.frames_.get()), set_nonblocking(child.input_.get());
  return child;
}

std::vector<nlohmann::json> GpuChild::read() {
  std::vector<nlohmann::json> out;
  while (frames_) {
    auto chunk = read_chunk(frames_.get());
    bool usable = lines_.feed(chunk.bytes);
    while (auto line = usable ? lines_.next() : std::nullopt) {
      auto frame = frame_of(*line);
      if (frame) out.push_back(std::move(*frame));
      else usable = false;
    }
    if (!usable || chunk.end) frames_.reset();
    else if (chunk.bytes.empty()) break;
  }
  return out;
}

void GpuChild::tell(const nlohmann::json& frame) {
  to_it_.add(line_of(frame));
  flush();
}

void GpuChild::flush() {
  if (!input_ || !to_it_.flush(input_.get())) input_.reset(), to_it_ = {};
}

void GpuChild::kill_group(int signal) const {
  if (!status_) kill(-pid_, signal);
}

bool GpuChild::ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    kill(-pid_, SIGKILL);  // what it started ends with it
    status_ = status;
  }
  return status_.has_value();
}

std::string GpuChild::how_it_ended() const {
  if (!status_) return "does not end";
  if (WIFSIGNALED(*status_)) return "crashed (signal " + std::to_string(WTERMSIG(*status_)) + ")";
  return "ended with status " + std::to_string(WEXITSTATUS(*status_)) + " and no result";
}

bool GpuChild::gave_up() const { return status_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) == checks::kHung; }

}  // namespace vt::agent
