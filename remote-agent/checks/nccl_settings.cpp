#include "remote-agent/checks/nccl_settings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

constexpr std::size_t kLargestLog = 4UL * 1024 * 1024;

std::string new_log() {
  auto* folder = std::getenv("TMPDIR");
  auto path = std::string(folder && *folder ? folder : "/tmp") + "/vault-test-nccl-XXXXXX";
  agent::Fd file(mkostemp(path.data(), O_CLOEXEC));
  return file ? path : "";
}

bool refused(const Task& task, const char* name) {
  auto at = task.args.find(name);
  return at != task.args.end() && at->is_boolean() && !at->get<bool>();
}

}  // namespace

NcclSettings::NcclSettings(const Task& task) : log_(new_log()) {
  auto set = [](const char* name, const std::string& value) {
    if (!value.empty()) setenv(name, value.c_str(), 1);
  };
  set("NCCL_P2P_DISABLE", refused(task, "p2p") ? "1" : "");
  set("NCCL_SHM_DISABLE", refused(task, "shm") ? "1" : "");
  set("NCCL_IB_DISABLE", refused(task, "ib") ? "1" : "");
  set("NCCL_NVLS_ENABLE", refused(task, "nvls") ? "0" : "");
  set("NCCL_SOCKET_IFNAME", task.text("interface"));
  set("NCCL_ALGO", task.text("algo"));
  set("NCCL_PROTO", task.text("proto"));
  set("NCCL_DEBUG", log_.empty() ? "" : "INFO");
  set("NCCL_DEBUG_FILE", log_);
}

NcclSettings::~NcclSettings() {
  if (!log_.empty()) unlink(log_.c_str());
}

std::string NcclSettings::log() const { return log_.empty() ? "" : agent::read_file(log_, kLargestLog); }

}  // namespace vt::checks
