#include "providers/container/view.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/model/text.hpp"
#include "providers/container/process.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;

/// Folders of the machine a pod has: programs, libraries, settings. Everything else of "/" stays outside.
constexpr const char* kShared[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "etc"};
/// What was installed, for package managers, and the name service's answer where /etc/resolv.conf points there.
constexpr const char* kSharedData[] = {"/var/lib/dpkg", "/var/lib/rpm", "/var/lib/pacman", "/run/systemd/resolve"};
constexpr const char* kHiddenFolders[] = {"/etc/ssh",      "/etc/ssl/private",  "/etc/NetworkManager/system-connections",
                                          "/sys/firmware", "/sys/kernel/debug", "/sys/kernel/tracing"};
constexpr const char* kHiddenFiles[] = {"/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/krb5.keytab"};
constexpr const char* kEmptyFolders[] = {"proc",           "sys",     "dev",      "run",     "tmp",     "root",
                                         "home",           "mnt",     "srv",      "var/tmp", "var/log", "var/cache",
                                         "var/empty/sshd", ".vt/old", ".vt/sshd", ".vt/lib"};

/// "\040" as the kernel writes a blank in mountinfo.
std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool octal = text[i] == '\\' && i + 3 < text.size();
    out += octal ? static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8)) : text[i];
    if (octal) i += 3;
  }
  return out;
}

bool below(const std::string& path, const std::string& folder) { return path == folder || path.starts_with(folder + "/"); }

/// Whether a path of the machine is seen under the same name in the pod.
bool shared(const std::string& path) {
  return std::any_of(std::begin(kShared), std::end(kShared), [&](const char* folder) { return below(path, std::string("/") + folder); });
}

class Builder {
 public:
  Builder(const Pod& pod, const Login& login, Settings settings) : pod_(pod), login_(login), settings_(settings) {}

  void folders() {
    for (auto folder : kEmptyFolders) fs::create_directories(pod_.root() + "/" + folder);
    for (auto open : {"/tmp", "/var/tmp"})  // runc gives a tmpfs the mode of the folder below it
      fs::permissions(pod_.root() + open, fs::perms::all | fs::perms::sticky_bit);
    fs::create_directories(pod_.root() + login_.home);
    fs::create_symlink("/run", pod_.root() + "/var/run");
    fs::create_symlink("/run/lock", pod_.root() + "/var/lock");
  }

  void machine() {
    for (auto folder : kShared) {
      std::string path = std::string("/") + folder;
      if (own(path)) continue;
      if (fs::is_symlink(path)) fs::copy_symlink(path, pod_.root() + path);
      else if (fs::is_directory(path)) bind_tree(path);
    }
    bind_tree("/sys");
    for (auto path : kSharedData)
      if (std::string(path).starts_with("/var") && fs::is_directory(path)) bind_tree(path);
  }

  void writable() {
    tmpfs("/run", "755");
    tmpfs("/tmp", "1777");
    tmpfs("/var/tmp", "1777");
    tmpfs(login_.home, "700");
    if (fs::is_directory("/run/systemd/resolve")) bind("/run/systemd/resolve", "/run/systemd/resolve");
  }

  /// Secrets of the machine, and of vault-test itself should its state lie in a shared folder.
  void hide(const std::string& state) {
    for (auto path : kHiddenFolders)
      if (!own(path) && usable(path)) tmpfs(path, "755");
    for (auto path : kHiddenFiles)
      if (!own(path) && usable(path)) bind("/dev/null", path);
    if (shared(state)) tmpfs(state, "700");
  }

  void replace(const std::string& target, const std::string& source) {
    if (!own(target) && usable(target)) bind(source, target);
  }

  void bind(const std::string& source, const std::string& target) { mounts_.push_back({Mount::Kind::bind, source, target, ""}); }
  [[nodiscard]] std::vector<Mount> take() { return std::move(mounts_); }

 private:
  /// A link would lead the mount elsewhere; what cannot be reached cannot be seen in the pod either.
  static bool usable(const std::string& path) {
    struct stat st {};
    return lstat(path.c_str(), &st) == 0 && !S_ISLNK(st.st_mode);
  }
  void tmpfs(const std::string& target, const std::string& mode) { mounts_.push_back({Mount::Kind::tmpfs, "", target, mode}); }
  /// Every mount below is named too: read-only holds for one mount, not for a tree.
  void bind_tree(const std::string& path) {
    fs::create_directories(pod_.root() + path);
    bind(path, path);
    for (auto& inner : mounts_below(path)) {
      bool hidden = std::any_of(std::begin(kHiddenFolders), std::end(kHiddenFolders), [&](const char* h) { return below(inner, h); });
      if (!hidden && usable(inner)) bind(inner, inner);
    }
  }

  [[nodiscard]] bool own(const std::string& path) const { return settings_ == Settings::own && below(path, "/etc"); }

  const Pod& pod_;
  const Login& login_;
  Settings settings_;
  std::vector<Mount> mounts_;
};

}  // namespace

std::vector<std::string> mounts_below(const std::string& folder) {
  std::ifstream in("/proc/self/mountinfo");
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;  // ID, parent, device, root, mount point
    if (auto path = decoded(word); path != folder && below(path, folder)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Result<SshServer> find_ssh_server() {
  SshServer server;
  auto chosen = std::getenv("VAULT_TEST_SSHD");
  auto libs = std::getenv("VAULT_TEST_SSHD_LIB");
  server.machine_path = chosen ? chosen : find_program("sshd");
  if (server.machine_path.empty()) return fail(Errc::not_found, "the SSH server (sshd) is not installed");
  if (!server.machine_path.starts_with('/') || access(server.machine_path.c_str(), X_OK) != 0)
    return fail(Errc::not_found, "VAULT_TEST_SSHD=" + server.machine_path + " is not an absolute path of a program");
  bool visible = shared(server.machine_path);
  server.pod_path = visible ? server.machine_path : "/.vt/sshd/" + fs::path(server.machine_path).filename().string();
  if (libs) server.machine_libs = libs, server.pod_libs = "/.vt/lib";
  return server;
}

Result<std::vector<Mount>> make_view(const Pod& pod, const Login& login, const SshServer& server, Settings settings) try {
  Builder builder(pod, login, settings);
  builder.folders();
  builder.machine();
  builder.writable();
  builder.replace("/etc/passwd", pod.root() + "/.vt/passwd");
  builder.replace("/etc/shadow", pod.root() + "/.vt/shadow");
  builder.replace("/etc/hosts", pod.root() + "/.vt/hosts");
  builder.replace("/etc/hostname", pod.root() + "/.vt/hostname");
  builder.hide(fs::path(pod.folder).parent_path().parent_path());
  if (server.pod_path != server.machine_path) builder.bind(fs::path(server.machine_path).parent_path(), "/.vt/sshd");
  if (!server.machine_libs.empty()) builder.bind(server.machine_libs, server.pod_libs);
  return builder.take();
} catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }

}  // namespace vt
