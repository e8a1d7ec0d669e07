#include "orchestrator/model/failpoint.hpp"

#ifdef VT_FAILPOINTS
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace vt {

namespace {

struct Armed {
  std::string name, action;
  int at = 1;
};

Armed read_armed() {
  auto text = std::getenv("VAULT_TEST_FAILPOINT");
  if (!text) return {};
  std::string spec(text);
  Armed armed;
  if (auto n = spec.find('@'); n != std::string::npos) {
    armed.at = std::atoi(spec.c_str() + n + 1);
    spec.resize(n);
  }
  auto equals = spec.find('=');
  armed.name = spec.substr(0, equals);
  if (equals != std::string::npos) armed.action = spec.substr(equals + 1);
  return armed;
}

/// One write per name, so that lines of several processes do not mix.
void log_reached(std::string_view name) {
  static const char* path = std::getenv("VAULT_TEST_FAILPOINT_LOG");
  if (!path) return;
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  std::string line = std::string(name) + "\n";
  [[maybe_unused]] auto n = write(fd, line.data(), line.size());
  close(fd);
}

}  // namespace

Status failpoint_reached(std::string_view name) {
  static const Armed armed = read_armed();
  static std::atomic<int> count{0};
  log_reached(name);
  if (armed.name != name || ++count != armed.at) return {};
  if (armed.action == "kill") kill(getpid(), SIGKILL);
  if (armed.action.starts_with("sleep:")) std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(armed.action.c_str() + 6)));
  if (armed.action == "enospc") return fail(Errc::disk_full, "no space left on device (injected at " + std::string(name) + ")");
  if (armed.action == "err") return fail(Errc::transport, "injected failure at " + std::string(name));
  return {};
}

}  // namespace vt
#endif
