#include <algorithm>
#include <optional>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
const std::string kOwn = "/proc/self/cgroup";

/// Where this process is in one hierarchy: its line in /proc/self/cgroup.
struct Membership {
  std::string controllers;  ///< "cpu,cpuacct"; "" = the unified hierarchy
  std::string path;
};

std::vector<Membership> memberships(const std::string& text) {
  std::vector<Membership> out;
  for (auto& line : lines(text)) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    out.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return out;
}

bool has_word(const std::string& list, const std::string& word) {
  auto parts = split(list, ',');
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

struct Mount {
  std::string point, root;  ///< where; which folder of the hierarchy is seen there
};

std::optional<Mount> find_mount(const Host& host, const std::string& type, const std::string& controller) {
  for (auto& line : lines(host.files.read("/proc/self/mountinfo").text)) {
    auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    auto left = words(line.substr(0, dash)), right = words(line.substr(dash + 3));
    if (left.size() < 5 || right.size() < 3 || right[0] != type) continue;
    if (controller.empty() || has_word(right[2], controller)) return Mount{left[4], left[3]};
  }
  return std::nullopt;
}

/// The folders from this process's cgroup up to the top that can be seen here.
std::vector<std::string> folders(const Mount& mount, std::string path) {
  if (mount.root != "/" && (path == mount.root || path.starts_with(mount.root + "/"))) path.erase(0, mount.root.size());
  if (path.find("/..") != std::string::npos) path.clear();  // outside of what this cgroup namespace shows
  std::vector<std::string> out;
  for (; !path.empty() && path != "/"; path.erase(path.rfind('/'))) out.push_back(mount.point + path);
  out.push_back(mount.point);
  return out;
}

/// Where to look for a controller's limits.
struct Place {
  bool unified = false, limited = false;  ///< not limited: no such controller, hence no limit
  std::vector<std::string> folders;
  Answer trouble;
};

Place find_place(const Host& host, const std::string& controller) {
  auto own = host.files.read(kOwn);
  if (absent(own.error) && host.files.exists("/proc/self/status")) return {};  // a kernel without cgroups
  if (own.error) return {false, false, {}, unreadable(kOwn, own.error)};
  const Membership* at = nullptr;
  auto all = memberships(own.text);
  for (auto& m : all)
    if (has_word(m.controllers, controller) || (m.controllers.empty() && !at)) at = &m;
  if (!at) return {};
  bool unified = at->controllers.empty();
  auto mount = find_mount(host, unified ? "cgroup2" : "cgroup", unified ? "" : controller);
  if (!mount) return {unified, true, {}, unknown("the cgroup file system of " + controller + " is not mounted here")};
  return {unified, true, folders(*mount, at->path), {}};
}

/// One limit found in one folder: nullopt = none there.
using Limit = std::optional<double>;
struct Lowest {
  Limit limit;
  std::string where;
  Answer trouble;
};

/// `parse` gets the text of each file that exists, "max" and negative numbers being its business.
template <class Parse>
Lowest lowest(const Host& host, const Place& place, const std::string& file, Parse parse) {
  Lowest out;
  for (auto& folder : place.folders) {
    auto path = folder + "/" + file;
    auto text = host.files.read(path);
    if (absent(text.error)) continue;  // the top has no limit files
    if (text.error) return {{}, "", unreadable(path, text.error)};
    Limit limit = parse(folder, text.text);
    if (limit && (!out.limit || *limit < *out.limit)) out.limit = limit, out.where = path + " is " + text.text;
  }
  return out;
}

Limit quota(const std::string& amount, const std::string& period) {
  auto a = integer(amount), p = integer(period);
  if (!a || !p || *a <= 0 || *p <= 0) return std::nullopt;  // "max" and -1
  return static_cast<double>(*a) / static_cast<double>(*p);
}

Lowest cpu_quota(const Host& host) {
  auto place = find_place(host, "cpu");
  if (!place.trouble.evidence.empty()) return {{}, "", place.trouble};
  if (!place.unified)
    return lowest(host, place, "cpu.cfs_quota_us",
                  [&](auto& folder, auto& text) { return quota(text, host.files.read(folder + "/cpu.cfs_period_us").text); });
  return lowest(host, place, "cpu.max", [](auto&, auto& text) {
    auto parts = words(text);
    return parts.size() == 2 ? quota(parts[0], parts[1]) : Limit{};
  });
}

Lowest memory_limit(const Host& host) {
  auto place = find_place(host, "memory");
  if (!place.trouble.evidence.empty()) return {{}, "", place.trouble};
  return lowest(host, place, place.unified ? "memory.max" : "memory.limit_in_bytes", [](auto&, auto& text) -> Limit {
    auto bytes = integer(text);
    return bytes ? Limit{static_cast<double>(*bytes)} : std::nullopt;
  });
}

struct Cpus {
  std::set<int> set;
  Answer trouble;
};

Cpus online(const Host& host) {
  const std::string path = "/sys/devices/system/cpu/online";
  auto text = host.files.read(path);
  if (text.error) return {{}, unreadable(path, text.error)};
  auto set = ranges(text.text);
  if (!set || set->empty()) return {{}, unknown(path + " says '" + text.text + "'")};
  return {*set, {}};
}

/// The kernel's own sum of every cpuset above this process, and of its affinity; it names processors that are not there, too.
Cpus allowed(const Host& host, const Cpus& present) {
  const std::string path = "/proc/self/status";
  auto status = host.files.read(path);
  if (status.error) return {{}, unreadable(path, status.error)};
  auto list = ranges(after(status.text, "Cpus_allowed_list:").value_or("?"));
  if (!list) return {{}, unknown(path + " has no Cpus_allowed_list")};
  Cpus out;
  std::set_intersection(list->begin(), list->end(), present.set.begin(), present.set.end(), std::inserter(out.set, out.set.end()));
  return out;
}

std::optional<std::int64_t> memory_total(const Host& host) {
  auto total = after(host.files.read("/proc/meminfo").text, "MemTotal:");
  auto parts = words(total.value_or(""));
  auto kib = parts.empty() ? std::nullopt : integer(parts[0]);
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

Answer no_memory_total(const Host& host) {
  auto error = host.files.read("/proc/meminfo").error;
  return error ? unreadable("/proc/meminfo", error) : unknown("/proc/meminfo has no MemTotal");
}

}  // namespace

Answer cgroup_version(const Host& host) {
  auto own = host.files.read(kOwn);
  if (absent(own.error) && host.files.exists("/proc/self/status")) return number(std::int64_t{0}, "the kernel has no cgroups");
  if (own.error) return unreadable(kOwn, own.error);
  bool unified = false, legacy = false;
  for (auto& m : memberships(own.text)) {
    unified = unified || m.controllers.empty();
    legacy = legacy || (!m.controllers.empty() && !m.controllers.starts_with("name="));
  }
  if (legacy) return number(std::int64_t{1}, unified ? "hybrid: the controllers are on version 1" : "the controllers are on version 1");
  return unified ? number(std::int64_t{2}, kOwn + " has only the unified hierarchy") : unknown(kOwn + " names no hierarchy");
}

Answer cgroup_cpus(const Host& host) {
  auto present = online(host);
  if (!present.trouble.evidence.empty()) return present.trouble;
  auto mine = allowed(host, present);
  if (!mine.trouble.evidence.empty()) return mine.trouble;
  auto limit = cpu_quota(host);
  if (!limit.trouble.evidence.empty()) return limit.trouble;
  auto cpus = static_cast<double>(mine.set.size());
  if (limit.limit && *limit.limit < cpus) return number(*limit.limit, limit.where);
  return number(cpus,
                std::to_string(mine.set.size()) + " of " + std::to_string(present.set.size()) + " processors allowed, no lower quota");
}

Answer cgroup_memory(const Host& host) {
  auto total = memory_total(host);
  if (!total) return no_memory_total(host);
  auto limit = memory_limit(host);
  if (!limit.trouble.evidence.empty()) return limit.trouble;
  if (limit.limit && *limit.limit < static_cast<double>(*total)) return number(static_cast<std::int64_t>(*limit.limit) / kMiB, limit.where);
  return number(*total / kMiB, "no limit below the machine's memory");
}

Answer cpu_count(const Host& host) {
  auto present = online(host);
  if (!present.trouble.evidence.empty()) return present.trouble;
  return number(static_cast<std::int64_t>(present.set.size()), "/sys/devices/system/cpu/online");
}

Answer memory(const Host& host) {
  auto total = memory_total(host);
  return total ? number(*total / kMiB, "MemTotal in /proc/meminfo") : no_memory_total(host);
}

}  // namespace vt::probe
