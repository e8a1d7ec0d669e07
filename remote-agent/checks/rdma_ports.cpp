#include "remote-agent/checks/rdma_ports.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_files.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

/// Counters of ports/N/counters that no healthy link raises (Documentation/ABI/stable/sysfs-class-infiniband).
constexpr const char* kErrors[] = {"symbol_error", "link_error_recovery", "local_link_integrity_errors", "excessive_buffer_overrun_errors",
                                   "port_rcv_errors"};

struct Port {
  std::string name, folder, kind;  ///< "mlx5_0/1"; kind: those that should be of one speed
  std::string state, link, rate;   ///< "ACTIVE", "LinkUp", "400 Gb/sec (4X NDR)"
  double gbps = 0;
  std::map<std::string, double> errors;
};

/// What follows the number: "4: ACTIVE".
std::string word_of(const std::string& path) {
  auto text = line_of(path);
  auto colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

Port read_port(const std::string& device, const std::string& folder, const std::string& number) {
  Port out;
  out.folder = folder + "/ports/" + number, out.name = device + "/" + number;
  out.state = word_of(out.folder + "/state"), out.link = word_of(out.folder + "/phys_state");
  out.rate = line_of(out.folder + "/rate"), out.gbps = number_of(out.folder + "/rate").value_or(0);
  out.kind = line_of(folder + "/hca_type") + " " + line_of(out.folder + "/link_layer");
  for (auto* name : kErrors)
    if (auto n = number_of(out.folder + "/counters/" + name)) out.errors[name] = *n;
  return out;
}

std::vector<Port> all_ports(const std::string& sys) {
  std::vector<Port> out;
  auto root = sys + "/class/infiniband";
  for (auto& device : names_in(root))
    for (auto& number : names_in(root + "/" + device + "/ports")) out.push_back(read_port(device, root + "/" + device, number));
  return out;
}

std::string counted(double n) { return std::to_string(static_cast<std::int64_t>(n)); }

/// Links that went down more often than five times a day, over the time since the start: the limit Azure's health checks have.
std::string flapping(const Port& port, double hours) {
  constexpr double kPerDay = 5;
  auto lost = number_of(port.folder + "/counters/link_downed").value_or(0);
  if (lost < kPerDay * std::max(1.0, hours / 24)) return "";
  return port.name + ": link lost " + counted(lost) + " times in " + counted(hours) + " h";
}

std::string gained(const Port& before, const Port& now) {
  std::string out;
  for (auto& [name, n] : now.errors)
    if (auto first = before.errors.find(name); first != before.errors.end() && n > first->second)
      out += (out.empty() ? now.name + ": " : ", ") + counted(n - first->second) + " " + name;
  return out;
}

bool is_up(const Port& port) { return port.state == "ACTIVE" && port.link == "LinkUp"; }

void judge_state(const Port& port, double fastest, json& out) {
  auto told = port.name + ": " + port.state + ", " + port.link;
  out["ports"].push_back(told + ", " + port.rate + ", " + port.kind);
  if (is_up(port)) out["active"] = out["active"].get<int>() + 1;
  else if (port.link == "LinkUp" || port.link == "LinkErrorRecovery") out["stuck"].push_back(told);
  else if (port.link != "Disabled") out["down"].push_back(told);
  if (is_up(port) && port.gbps < fastest) out["slower"].push_back(port.name + ": " + port.rate + ", others " + counted(fastest) + " Gb/s");
}

}  // namespace

Result<json> rdma_ports(const std::string& sys, double seconds, double hours) {
  auto before = all_ports(sys);
  if (before.empty()) return fail(Errc::not_found, "no port in " + sys + "/class/infiniband");
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  auto now = all_ports(sys);
  std::map<std::string, double> fastest;
  for (auto& port : now)
    if (is_up(port)) fastest[port.kind] = std::max(fastest[port.kind], port.gbps);
  json out = {{"active", 0}};
  for (auto* list : {"ports", "stuck", "down", "slower", "flapping", "errors"}) out[list] = json::array();
  for (auto& port : now) {
    judge_state(port, fastest[port.kind], out);
    if (auto text = flapping(port, hours); !text.empty()) out["flapping"].push_back(text);
    auto first = std::find_if(before.begin(), before.end(), [&](auto& p) { return p.name == port.name; });
    if (auto text = first == before.end() ? "" : gained(*first, port); !text.empty()) out["errors"].push_back(text);
  }
  return out;
}

Outcome rdma_links(const Task& task, Reporter&) {
  constexpr double kMsPerHour = 3.6e6;
  auto seconds = std::clamp(task.number("seconds", 1), 0.0, static_cast<double>(task.deadline_ms) / 2e3);
  auto found = rdma_ports("/sys", seconds, static_cast<double>(agent::boot_ms()) / kMsPerHour);
  if (!found) return {json::object(), "", found.error().what};
  return {std::move(found).take(), "", ""};
}

}  // namespace vt::checks
