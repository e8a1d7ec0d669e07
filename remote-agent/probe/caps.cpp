#include <array>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

const std::string kStatus = "/proc/self/status";

/// capabilities(7), by bit.
constexpr std::array kNames = {"CHOWN",
                               "DAC_OVERRIDE",
                               "DAC_READ_SEARCH",
                               "FOWNER",
                               "FSETID",
                               "KILL",
                               "SETGID",
                               "SETUID",
                               "SETPCAP",
                               "LINUX_IMMUTABLE",
                               "NET_BIND_SERVICE",
                               "NET_BROADCAST",
                               "NET_ADMIN",
                               "NET_RAW",
                               "IPC_LOCK",
                               "IPC_OWNER",
                               "SYS_MODULE",
                               "SYS_RAWIO",
                               "SYS_CHROOT",
                               "SYS_PTRACE",
                               "SYS_PACCT",
                               "SYS_ADMIN",
                               "SYS_BOOT",
                               "SYS_NICE",
                               "SYS_RESOURCE",
                               "SYS_TIME",
                               "SYS_TTY_CONFIG",
                               "MKNOD",
                               "LEASE",
                               "AUDIT_WRITE",
                               "AUDIT_CONTROL",
                               "SETFCAP",
                               "MAC_OVERRIDE",
                               "MAC_ADMIN",
                               "SYSLOG",
                               "WAKE_ALARM",
                               "BLOCK_SUSPEND",
                               "AUDIT_READ",
                               "PERFMON",
                               "BPF",
                               "CHECKPOINT_RESTORE"};

struct Mask {
  std::uint64_t bits = 0;
  std::string text;
  Answer trouble;  ///< set if it could not be read
};

Mask mask(const Host& host, const std::string& label) {
  auto status = host.files.read(kStatus);
  if (status.error) return {0, "", unreadable(kStatus, status.error)};
  auto hex = after(status.text, label + ":");
  if (!hex) return {0, "", unknown(kStatus + " has no " + label)};
  char* end = nullptr;
  auto bits = std::strtoull(hex->c_str(), &end, 16);
  if (hex->empty() || *end != '\0') return {0, "", unknown(kStatus + ": " + label + " is '" + *hex + "'")};
  return {bits, *hex, {}};
}

std::string one_line(const std::string& map) {
  std::string out;
  for (auto& word : words(map)) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

Answer host_root(const Host& host) {
  auto uid = host.system.uid();
  if (uid != 0) return no("uid " + std::to_string(uid));
  auto initial = caps_initial(host);
  if (initial.is_true()) return yes("uid 0");
  return yes(std::string("uid 0, ") + (initial.is_false() ? "but only " : "perhaps only of a user namespace: ") + initial.evidence);
}

Answer host_sudo(const Host& host) {
  if (host.system.uid() == 0) return yes("uid 0");
  auto sudo = tool(host, "sudo");
  if (!sudo.is_true()) return sudo;
  auto status = host.system.sudo(host.limit());
  if (!status) return unknown("`sudo -n true` gave no answer in time");
  return *status == 0 ? yes("`sudo -n true` works") : no("`sudo -n true` ends with status " + std::to_string(*status));
}

Answer caps_effective(const Host& host) {
  auto have = mask(host, "CapEff");
  if (!have.trouble.evidence.empty()) return have.trouble;
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((have.bits >> bit) & 1U) names.push_back("CAP_" + (bit < kNames.size() ? std::string(kNames[bit]) : std::to_string(bit)));
  return list(names, "CapEff " + have.text);
}

Answer caps_initial(const Host& host) {
  const std::string path = "/proc/self/uid_map";
  auto ns = host.files.link("/proc/self/ns/user");
  auto map = host.files.read(path);
  if (absent(map.error) && absent(ns.error) && host.files.exists(kStatus)) return yes("the kernel has no user namespaces");
  if (map.error) return unreadable(path, map.error);
  auto shown = one_line(map.text);
  if (shown != "0 0 4294967295") return no("in a user namespace: uid_map is '" + shown + "'");
  // Root can make a user namespace with the identity map; only the initial one has this fixed inode.
  if (!ns.error && ns.text != "user:[4026531837]") return no("in a user namespace: uid_map is the identity, but this is " + ns.text);
  return yes("uid_map is the identity");
}

Answer seccomp(const Host& host) {
  auto status = host.files.read(kStatus);
  if (status.error) return unreadable(kStatus, status.error);
  auto mode = after(status.text, "Seccomp:");
  if (!mode) return text("none", "the kernel has no seccomp");
  if (*mode == "0") return text("none", "Seccomp: 0");
  if (*mode == "1") return text("strict", "Seccomp: 1");
  if (*mode == "2") return text("filter", "Seccomp: 2");
  return unknown("Seccomp: " + *mode);
}

Answer has_capability(const Host& host, int bit, const std::string& name) {
  auto initial = caps_initial(host);
  if (!initial.is_true()) return initial;
  auto test = [&](const std::string& label, const std::string& how) {
    auto have = mask(host, label);
    if (!have.trouble.evidence.empty()) return have.trouble;
    bool set = (have.bits >> bit) & 1U;
    return set ? yes(label + " has " + name + how) : no(label + " lacks " + name);
  };
  auto own = test("CapEff", "");
  if (!own.is_false() || host.system.uid() == 0) return own;
  auto sudo = host_sudo(host);
  if (sudo.is_true()) return test("CapBnd", ", and sudo works");  // what sudo can give is bounded by it
  if (sudo.is_false()) return own;
  return unknown(own.evidence + ", and " + sudo.evidence);
}

}  // namespace vt::probe
