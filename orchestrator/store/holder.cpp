#include <unistd.h>

#include <fstream>
#include <sstream>

#include "orchestrator/store/ledger.hpp"

namespace vt {

namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

/// Start of the process in clock ticks since boot (field 22 of proc(5) stat); "" if it is gone or a zombie.
std::string start_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(file, line)) return "";
  auto after_name = line.rfind(')');  // the name may hold spaces and parentheses
  if (after_name == std::string::npos) return "";
  std::istringstream fields(line.substr(after_name + 1));
  std::string state, field;
  fields >> state;
  if (state == "Z" || state == "X") return "";
  for (int number = 4; number <= 22; ++number) fields >> field;
  return fields ? field : "";
}

std::string holder_of(const std::string& pid) { return pid + ":" + start_of(pid) + ":" + boot_id(); }

}  // namespace

std::string this_holder() { return holder_of(std::to_string(getpid())); }

bool is_alive(const std::string& holder) {
  auto pid = holder.substr(0, holder.find(':'));
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos || start_of(pid).empty()) return false;
  return holder_of(pid) == holder;
}

}  // namespace vt
