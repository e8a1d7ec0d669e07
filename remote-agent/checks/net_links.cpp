#include <net/if_arp.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_files.hpp"

namespace vt::checks {

namespace {

struct Counters {
  double errors = 0, drops = 0;
};

/// The names of the kernel's own statistics (Documentation/ABI/testing/sysfs-class-net-statistics).
Counters counters_of(const std::string& folder) {
  auto sum = [&](auto... name) { return (number_of(folder + "/statistics/" + name).value_or(0) + ...); };
  return {sum("rx_errors", "tx_errors"), sum("rx_dropped", "tx_dropped")};
}

/// Ethernet and InfiniBand, but no bridges: a bridge counts again what its ports have counted.
bool is_link(const std::string& folder) {
  auto type = number_of(folder + "/type").value_or(0);
  std::error_code error;
  return (type == ARPHRD_ETHER || type == ARPHRD_INFINIBAND) && !std::filesystem::exists(folder + "/bridge", error);
}

std::string told(const std::string& name, const std::string& folder, const std::string& state, double speed) {
  auto mtu = line_of(folder + "/mtu");
  auto rate = speed > 0 ? ", " + std::to_string(static_cast<std::int64_t>(speed)) + " Mb/s" : ", speed not told";
  return name + " " + state + (state == "up" ? rate : "") + ", MTU " + mtu;
}

}  // namespace

/// The network interfaces as the kernel has them, and what their error and drop counters gain in args.seconds.
Outcome net_links(const Task& task, Reporter&) {
  std::map<std::string, Counters> before;
  for (auto& name : names_in("/sys/class/net"))
    if (auto folder = "/sys/class/net/" + name; is_link(folder)) before[name] = counters_of(folder);
  std::this_thread::sleep_for(std::chrono::duration<double>(task.number("seconds", 1)));
  std::vector<std::string> links;
  int up = 0;
  Counters gained;
  for (auto& [name, first] : before) {
    auto folder = "/sys/class/net/" + name;
    auto now = counters_of(folder);
    gained.errors += now.errors - first.errors, gained.drops += now.drops - first.drops;
    auto state = line_of(folder + "/operstate");
    if (state == "unknown" && line_of(folder + "/carrier") == "1") state = "up";  // drivers that do not keep the state
    up += state == "up";
    links.push_back(told(name, folder, state, number_of(folder + "/speed").value_or(0)));  // reading the speed of a link that is down fails
  }
  return {{{"links", links},
           {"up", up},
           {"errors", static_cast<std::int64_t>(gained.errors)},
           {"drops", static_cast<std::int64_t>(gained.drops)}},
          "",
          ""};
}

}  // namespace vt::checks
