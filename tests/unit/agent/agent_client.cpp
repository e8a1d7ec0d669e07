#include "tests/unit/agent/agent_client.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace vt::test {

namespace fs = std::filesystem;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Folder::Folder() {
  char path[] = "/tmp/vt-agent-XXXXXX";
  path_ = mkdtemp(path);
  fs::create_directory(path_ + "/tmp");
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string agent_path() {
  utsname system{};
  uname(&system);
  return std::string(VT_BIN_DIR "/vault-test-agent-") + system.machine;
}

Agent::Agent(const Folder& folder, const AgentOptions& options) {
  start(folder, options, {"--stdio", "--root", folder.path()});
  send({{"t", "hello"}, {"protocol", 1}, {"run", "test"}, {"heartbeat_ms", 100}});
  hello_ = until("hello");
}

Agent::Agent(const Folder& folder, const AgentOptions& options, std::vector<std::string> args) { start(folder, options, std::move(args)); }

void Agent::start(const Folder& folder, const AgentOptions& options, std::vector<std::string> args) {
  signal(SIGPIPE, SIG_IGN);
  int to[2], from[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from, O_CLOEXEC), 0);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(to[0], 0), dup2(from[1], 1);
    if (options.uid && (setgid(options.uid) != 0 || setuid(options.uid) != 0)) _exit(126);
    setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
    for (auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
    auto path = agent_path();
    std::vector<char*> argv = {path.data()};
    for (auto& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    execv(path.c_str(), argv.data());
    _exit(127);
  }
  close(to[0]), close(from[1]);
  in_ = to[1], out_ = from[0];
}

Agent::~Agent() {
  close_input();
  if (pid_ > 0 && exit_status() < 0) kill9();
  close(out_);
}

void Agent::write(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    auto n = ::write(in_, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

json Agent::next(int ms) {
  for (auto end = now_ms() + ms; now_ms() <= end;) {
    while (auto line = lines_.next()) {
      EXPECT_LE(line->size(), protocol::kMaxFrame);
      auto frame = json::parse(*line, nullptr, false);
      EXPECT_TRUE(frame.is_object()) << *line;
      if (frame.value("t", "") == "heartbeat") heartbeats_++;
      else return seen_.push_back(frame), frame;
    }
    pollfd p{out_, POLLIN, 0};
    if (poll(&p, 1, static_cast<int>(std::max<std::int64_t>(0, end - now_ms()))) <= 0) break;
    char buffer[65536];
    auto n = read(out_, buffer, sizeof buffer);
    if (n <= 0) break;
    EXPECT_TRUE(lines_.feed({buffer, static_cast<std::size_t>(n)}));
  }
  return {};
}

json Agent::until(const std::function<bool(const json&)>& good, int ms) {
  for (auto end = now_ms() + ms; now_ms() <= end;) {
    auto frame = next(static_cast<int>(end - now_ms()));
    if (frame.is_null() || good(frame)) return frame;
  }
  return {};
}

json Agent::until(const std::string& t, const std::string& job, int ms) {
  return until([&](const json& f) { return f.value("t", "") == t && (job.empty() || f.value("job", "") == job); }, ms);
}

protocol::JobResult Agent::result_of(const std::string& job, int ms) {
  auto frame = until("result", job, ms);
  auto result = protocol::decode_result(frame);
  EXPECT_TRUE(result) << "no result of " << job << ": " << frame;
  return result.value_or(protocol::JobResult{});
}

protocol::JobResult Agent::run(const json& job, int ms) {
  send(job);
  return result_of(job["job"], ms);
}

void Agent::close_input() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

void Agent::kill9() {
  kill(pid_, SIGKILL);
  exit_status();
}

int Agent::exit_status(int ms) {
  int status = -1;
  if (!eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }, ms)) return -1;
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

json command(const std::string& id, std::vector<std::string> argv) {
  return {{"t", "run"}, {"job", id}, {"kind", "command"}, {"argv", std::move(argv)}, {"deadline_ms", 8000}};
}

json script(const std::string& id, const std::string& text) {
  return {{"t", "run"}, {"job", id}, {"kind", "script"}, {"script", text}, {"interpreter", "/bin/sh"}, {"deadline_ms", 8000}};
}

json check(const std::string& id, const std::string& name, json args) {
  return {{"t", "run"}, {"job", id}, {"kind", "agent"}, {"name", name}, {"args", std::move(args)}, {"deadline_ms", 8000}};
}

bool exists(pid_t pid) {
  auto stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  auto at = stat.rfind(')');
  return at != std::string::npos && stat.substr(at, 3) != ") Z";
}

bool eventually(const std::function<bool()>& good, int ms) {
  for (auto end = now_ms() + ms; now_ms() <= end; poll(nullptr, 0, 5))
    if (good()) return true;
  return good();
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

}  // namespace vt::test
