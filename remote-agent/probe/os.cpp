#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

struct Release {
  std::string id, like, path;
  Answer trouble;
};

std::string value_of(const std::string& release, const std::string& key) {
  auto value = after(release, key + "=").value_or("");
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    return value.substr(1, value.size() - 2);
  return value;
}

Release read_release(const Host& host) {
  std::string path = "/etc/os-release";
  auto file = host.files.read(path);
  if (absent(file.error)) path = "/usr/lib/os-release", file = host.files.read(path);
  if (file.error) return {"", "", path, unreadable(path, file.error)};
  auto id = value_of(file.text, "ID");
  return {id.empty() ? "linux" : id, value_of(file.text, "ID_LIKE"), path, {}};  // os-release(5): ID defaults to linux
}

struct Manager {
  const char* name;
  const char* program;
  std::vector<std::string_view> families;
};

const std::vector<Manager>& managers() {
  static const std::vector<Manager> all = {{"apt", "apt-get", {"debian", "ubuntu"}},
                                           {"dnf", "dnf", {"fedora", "rhel", "centos", "rocky", "almalinux", "amzn", "ol"}},
                                           {"zypper", "zypper", {"suse", "opensuse", "sles", "opensuse-leap", "opensuse-tumbleweed"}},
                                           {"pacman", "pacman", {"arch", "archarm", "manjaro"}},
                                           {"apk", "apk", {"alpine", "wolfi"}}};
  return all;
}

bool of_family(const Release& release, const Manager& manager) {
  for (auto& word : words(release.id + " " + release.like))
    for (auto family : manager.families)
      if (word == family) return true;
  return false;
}

}  // namespace

Answer os_id(const Host& host) {
  auto release = read_release(host);
  if (!release.trouble.evidence.empty()) return release.trouble;
  return text(release.id, release.path + " says " + release.id);
}

Answer pkg_manager(const Host& host) {
  auto release = read_release(host);
  Answer hidden;
  for (bool family : {true, false})  // the distribution's own first: apt can be installed on Fedora
    for (auto& manager : managers()) {
      if (of_family(release, manager) != family) continue;
      auto program = tool(host, manager.program);
      if (program.is_true()) return text(manager.name, program.evidence + (family ? " on " + release.id : ""));
      if (!program.known() && hidden.evidence.empty()) hidden = program;
    }
  return hidden.evidence.empty() ? text("", "none of apt-get, dnf, zypper, pacman, apk on PATH") : hidden;
}

Answer lsm_selinux(const Host& host) {
  const std::string path = "/sys/fs/selinux/enforce";
  auto enforce = host.files.read(path);
  if (!enforce.error) return text(enforce.text == "1" ? "enforcing" : "permissive", path + " is " + enforce.text);
  if (!absent(enforce.error)) return unreadable(path, enforce.error);
  // The kernel offers selinuxfs only while SELinux is on; a container may just not have it mounted.
  auto offered = host.files.read("/proc/filesystems");
  if (offered.error) return unreadable("/proc/filesystems", offered.error);
  if (offered.text.find("selinuxfs") != std::string::npos) return unknown("SELinux is on, but its file system is not mounted here");
  return text("disabled", "the kernel offers no selinuxfs");
}

Answer lsm_apparmor(const Host& host) {
  const std::string path = "/sys/module/apparmor/parameters/enabled";
  auto enabled = host.files.read(path);
  if (!enabled.error) return enabled.text == "Y" ? yes(path + " is Y") : no(path + " is " + enabled.text);
  if (absent(enabled.error) && host.files.exists("/sys/module")) return no("the kernel has no AppArmor");
  return unreadable(path, enabled.error);
}

}  // namespace vt::probe
