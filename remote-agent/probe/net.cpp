#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

constexpr std::int64_t kUp = 0x1, kReject = 0x200;

/// Iface Destination Gateway Flags RefCnt Use Metric Mask …, hexadecimal.
Answer route4(const Host& host) {
  const std::string path = "/proc/net/route";
  auto table = host.files.read(path);
  if (table.error) return unreadable(path, table.error);
  for (auto& line : lines(table.text)) {
    auto f = words(line);
    if (f.size() < 8 || f[1] != "00000000" || f[7] != "00000000") continue;
    auto flags = integer(f[3], 16).value_or(0);
    if ((flags & kUp) && !(flags & kReject)) return yes("default route through " + f[0]);
  }
  return no("no default route in " + path);
}

/// Destination, its prefix length, source, its prefix length, next hop, metric, references, use, flags, device.
Answer route6(const Host& host) {
  const std::string path = "/proc/net/ipv6_route";
  auto table = host.files.read(path);
  if (absent(table.error)) return no("no IPv6");
  if (table.error) return unreadable(path, table.error);
  for (auto& line : lines(table.text)) {
    auto f = words(line);
    if (f.size() < 10 || f[0] != std::string(32, '0') || f[1] != "00" || f[9] == "lo") continue;
    auto flags = integer(f[8], 16).value_or(0);
    if ((flags & kUp) && !(flags & kReject)) return yes("IPv6 default route through " + f[9]);
  }
  return no("none in " + path);
}

}  // namespace

Answer net_route(const Host& host) {
  auto v4 = route4(host);
  if (v4.is_true()) return v4;
  auto v6 = route6(host);
  if (v6.is_true()) return v6;
  if (!v4.known()) return v4;
  if (!v6.known()) return v6;
  return no(v4.evidence + "; " + v6.evidence);
}

Answer net_internet(const Host& host) {
  auto& target = host.options.internet;
  std::string failed = "not tried: no address to try was given";
  if (!target.empty()) {
    auto colon = target.rfind(':');
    if (colon == std::string::npos) return unknown("'" + target + "' is not host:port");
    auto name = target.substr(0, colon);
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    auto trouble = host.system.connect(name, target.substr(colon + 1), host.limit());
    if (trouble.empty()) return yes(target + " answered");
    failed = target + ": " + trouble;
  }
  auto route = net_route(host);
  return route.is_false() ? no(route.evidence) : unknown(failed);
}

}  // namespace vt::probe
