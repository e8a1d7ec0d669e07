#include "providers/emulator/hosts/settings.hpp"

#include <filesystem>
#include <fstream>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/hosts/files.hpp"

namespace vt::emulator {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCopied[] = {"apt",
                                   "bash.bashrc",
                                   "ca-certificates.conf",
                                   "dbus-1",
                                   "debian_version",
                                   "default",
                                   "dpkg",
                                   "environment",
                                   "gai.conf",
                                   "group",
                                   "host.conf",
                                   "issue",
                                   "ld.so.cache",
                                   "ld.so.conf",
                                   "ld.so.conf.d",
                                   "localtime",
                                   "login.defs",
                                   "lsb-release",
                                   "nsswitch.conf",
                                   "pam.conf",
                                   "pam.d",
                                   "profile",
                                   "profile.d",
                                   "protocols",
                                   "redhat-release",
                                   "security",
                                   "services",
                                   "shells",
                                   "skel",
                                   "timezone",
                                   "OpenCL",
                                   "vulkan"};
constexpr const char* kShared[] = {"/etc/alternatives", "/etc/ssl/certs", "/etc/terminfo", "/etc/pki/tls/certs"};
constexpr unsigned kFirstPerson = 1000, kNobody = 65534;

/// Users of the system, not of people.
bool is_systems_user(const std::vector<std::string>& fields) {
  unsigned long id = fields.size() > 2 ? std::strtoul(fields[2].c_str(), nullptr, 10) : kFirstPerson;
  return id < kFirstPerson || id == kNobody;
}

Status write_users(const std::string& etc) {
  std::string users, passwords;
  bool has_server_user = false;
  std::ifstream machine("/etc/passwd");
  for (std::string line; std::getline(machine, line);) {
    auto fields = split(line, ':');
    if (!is_systems_user(fields)) continue;
    bool root = fields[0] == "root";
    has_server_user = has_server_user || fields[0] == "sshd";
    users += (root ? "root:x:0:0:root:/root:/bin/bash" : line) + "\n";
    passwords += fields[0] + ":*:19000:0:99999:7:::\n";  // one that nobody has; "!" would lock the account for SSH too
  }
  if (!has_server_user) users += "sshd:x:74:65534::/run/sshd:/usr/sbin/nologin\n", passwords += "sshd:*:19000:0:99999:7:::\n";
  VT_CHECK(write_file(etc + "/passwd", users, 0644));
  return write_file(etc + "/shadow", passwords, 0600);
}

void copy_settings(const std::string& etc) {
  for (auto name : kCopied) {
    std::string path = std::string("/etc/") + name;
    if (fs::exists(fs::symlink_status(path)))
      fs::copy(path, etc + "/" + name, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  for (auto& path : shared_settings()) fs::create_directories(etc + path.substr(4));
  // The real file: it is looked for before /usr is there.
  if (fs::exists("/etc/os-release")) fs::copy_file("/etc/os-release", etc + "/os-release");
}

}  // namespace

std::vector<std::string> shared_settings() {
  std::vector<std::string> there;
  for (auto path : kShared)
    if (fs::is_directory(path)) there.emplace_back(path);
  return there;
}

Status make_settings(const std::string& root, const std::string& name) try {
  std::string etc = root + "/etc";
  fs::create_directories(etc);
  copy_settings(etc);
  VT_CHECK(write_users(etc));
  VT_CHECK(write_file(etc + "/hostname", name + "\n", 0644));
  return write_file(etc + "/hosts",
                    "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + name + "\n169.254.169.254 metadata.google.internal metadata\n",
                    0644);
} catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }

}  // namespace vt::emulator
