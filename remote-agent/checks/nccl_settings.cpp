#include "remote-agent/checks/nccl_settings.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace vt::checks {

namespace {

constexpr std::size_t kLargestLog = 4UL * 1024 * 1024;

std::string path_of(const agent::Fd& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

bool refused(const Task& task, const char* name) {
  auto at = task.args.find(name);
  return at != task.args.end() && at->is_boolean() && !at->get<bool>();
}

}  // namespace

NcclSettings::NcclSettings(const Task& task) : log_(memfd_create("nccl", MFD_CLOEXEC)) {
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
  set("NCCL_DEBUG", log_ ? "INFO" : "");
  set("NCCL_DEBUG_FILE", log_ ? path_of(log_) : "");
}

std::string NcclSettings::log() const { return log_ ? agent::read_file(path_of(log_), kLargestLog) : ""; }

}  // namespace vt::checks
