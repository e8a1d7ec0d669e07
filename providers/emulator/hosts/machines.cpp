// Instances: a real systemd under systemd-nspawn, or the same guest agent in what pods are made of.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "orchestrator/model/text.hpp"
#include "providers/container/pod.hpp"
#include "providers/container/process.hpp"
#include "providers/container/view.hpp"
#include "providers/emulator/hosts/files.hpp"
#include "providers/emulator/hosts/guest_agent.hpp"
#include "providers/emulator/hosts/hosted.hpp"
#include "providers/emulator/hosts/makers.hpp"
#include "providers/emulator/hosts/settings.hpp"

namespace vt::emulator {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kInit = "/usr/lib/systemd/systemd";
constexpr const char* kUnits = "/etc/systemd/system/";

/// No units but these and what systemd itself brings.
constexpr const char* kKeysUnit = R"([Unit]
Description=Host keys of a new instance
Before=ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
EnvironmentFile=/.vt/guest
ExecStart=/bin/bash /.vt/guest-agent keys
)";
constexpr const char* kAgentUnit = R"([Unit]
Description=Guest agent
After=guest-keys.service
[Service]
EnvironmentFile=/.vt/guest
ExecStart=/bin/bash /.vt/guest-agent serve
StandardOutput=journal+console
StandardError=journal+console
Restart=always
)";
constexpr const char* kServerUnit = R"([Unit]
Description=SSH server
After=guest-keys.service
[Service]
EnvironmentFile=/.vt/guest
RuntimeDirectory=sshd
ExecStart=@SSHD@ -D -e -f /etc/ssh/sshd_config
KillMode=process
Restart=on-failure
)";
constexpr const char* kServerSettings =
    "HostKey /etc/ssh/ssh_host_ed25519_key\nPermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\n"
    "UseDNS no\nPrintMotd no\nAcceptEnv LANG LC_*\nMaxStartups 100:30:200\nMaxSessions 100\n";

/// systemd gets a cgroup of its own, else it would take over those of its neighbours; "reboot" is exit status 133.
constexpr const char* kBoot = R"(# Runs the machine, again after each reboot. $1: its mark.
while IFS=: read -r number controllers path; do
  case $number:$controllers in
    *:name=systemd) top=/sys/fs/cgroup/systemd ;;
    0:) top=/sys/fs/cgroup/unified; [ -d $top ] || top=/sys/fs/cgroup ;;
    *) continue ;;
  esac
  mkdir "$top${path%/}/$1" && echo $$ >"$top${path%/}/$1/cgroup.procs"
done </proc/self/cgroup
shift
while :; do
  "$@"
  status=$?
  [ $status = 133 ] || exit $status
done
)";
constexpr const char* kAfter =
    "rmdir /run/systemd/nspawn/propagate/@MARK@ 2>/dev/null\n"
    "find /sys/fs/cgroup -depth -type d -path '*/@MARK@*' -exec rmdir {} \\; 2>/dev/null\n";

std::string filled(std::string text, const std::string& slot, const std::string& value) {
  for (auto at = text.find(slot); at != std::string::npos; at = text.find(slot, at + value.size())) text.replace(at, slot.size(), value);
  return text;
}

/// The folders and links of the machine's "/". What it writes stays over a reboot.
void make_folders(const std::string& root) {
  for (auto folder : {"usr", "opt", "var/lib", "var/log", "var/tmp", "var/cache", "run", "tmp", "home", "mnt", "srv", "proc", "sys", "dev",
                      ".vt", "etc/ssh", "etc/systemd/system/multi-user.target.wants", "etc/systemd/system-preset", "etc/sudoers.d"})
    fs::create_directories(root + "/" + folder);
  fs::create_directory(root + "/root");
  fs::permissions(root + "/root", fs::perms::owner_all);
  fs::permissions(root + "/var/tmp", fs::perms::all | fs::perms::sticky_bit);  // everybody's, and on a disk, unlike /tmp
  for (auto link : {"bin", "sbin", "lib", "lib32", "lib64", "libx32"})
    if (fs::is_symlink(std::string("/") + link)) fs::copy_symlink(std::string("/") + link, root + "/" + link);
}

Status write_unit(const std::string& root, const std::string& name, const std::string& text) {
  fs::create_symlink("../" + name, root + kUnits + "multi-user.target.wants/" + name);
  return write_file(root + kUnits + name, text, 0644);
}

Status write_units(const std::string& root, const SshServer& server) {
  VT_CHECK(write_file(root + "/etc/systemd/system-preset/00-none.preset", "disable *\n", 0644));
  // In a cgroup hierarchy of version 1 it is not told that a unit's last process has ended.
  VT_CHECK(write_file(root + "/etc/systemd/system.conf", "[Manager]\nDefaultTimeoutStopSec=5s\n", 0644));
  fs::create_symlink("/usr/lib/systemd/system/multi-user.target", root + kUnits + "default.target");
  for (auto unit : {"getty.target", "console-getty.service", "systemd-firstboot.service"})
    fs::create_symlink("/dev/null", root + kUnits + unit);
  VT_CHECK(write_unit(root, "guest-keys.service", kKeysUnit));
  VT_CHECK(write_unit(root, "guest-agent.service", kAgentUnit));
  return write_unit(root, "ssh.service", filled(kServerUnit, "@SSHD@", server.pod_path));
}

Status write_guest(const std::string& root, const HostOrder& order, const SshServer& server) {
  VT_CHECK(write_file(root + "/.vt/guest-agent", guest_agent(), 0700));
  std::string libs = server.pod_libs.empty() ? "" : "LD_LIBRARY_PATH=" + server.pod_libs + "\n";
  VT_CHECK(write_file(root + "/.vt/guest",
                      "EMULATED_INSTANCE=" + order.id + "\nGCE_METADATA_HOST=169.254.169.254:80\nGUEST_FOLDER=/etc/ssh\n" + libs, 0600));
  return write_file(root + "/etc/ssh/sshd_config", kServerSettings, 0644);
}

Status make_machine(const std::string& root, const HostOrder& order, const SshServer& server) try {
  make_folders(root);
  VT_CHECK(make_settings(root, order.id));
  VT_CHECK(write_file(root + "/etc/machine-id", "", 0444));  // systemd makes one up; absent, it would enable every unit there is
  VT_CHECK(write_units(root, server));
  return write_guest(root, order, server);
} catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }

Words nspawn(const std::string& root, const std::string& mark) {
  Words words{"systemd-nspawn", "--quiet", "--machine=" + mark, "--directory=" + root, "--bind-ro=/usr", "--register=no", "--keep-unit"};
  if (fs::is_directory("/opt")) words.push_back("--bind-ro=/opt");
  for (auto& path : shared_settings()) words.push_back("--bind-ro=" + path);
  return words;
}

class Machines final : public HostMaker {
 public:
  [[nodiscard]] std::string text() const override {
    return "systemd-nspawn machines with a systemd of their own on this machine's programs";
  }
  [[nodiscard]] std::string login() const override { return ""; }
  Status clear(const std::string& folder) override { return clear_hosts(folder); }

  Result<std::unique_ptr<EmulatedHost>> start(const HostOrder& order) override {
    VT_TRY(SshServer server, find_ssh_server());
    VT_TRY(std::string mark, new_mark(order.folder));
    std::string root = order.folder + "/root", boot = order.folder + "/boot";
    VT_CHECK(make_machine(root, order, server));
    VT_CHECK(write_file(boot, kBoot, 0600));
    Prepared prepared{order, mark, {}, 22, true, {"/bin/sh", boot, mark}, filled(kAfter, "@MARK@", mark)};
    VT_TRY(prepared.network, Network::make("169.254.169.254"));
    Words command = nspawn(root, mark);
    if (server.pod_path != server.machine_path)
      command.push_back("--bind-ro=" + fs::path(server.machine_path).parent_path().string() + ":/.vt/sshd");
    if (!server.machine_libs.empty()) command.push_back("--bind-ro=" + server.machine_libs + ":" + server.pod_libs);
    for (auto word : {"--setenv=SYSTEMD_COLORS=0", "--boot"}) command.emplace_back(word);
    command.push_back(mark);  // systemd takes no notice of it
    prepared.command.insert(prepared.command.end(), command.begin(), command.end());
    return start_host(std::move(prepared));
  }
};

/// The guest agent and an SSH server in what another maker makes.
class WithoutSystemd final : public HostMaker {
 public:
  WithoutSystemd(std::unique_ptr<HostMaker> below, bool isolated) : below_(std::move(below)), isolated_(isolated) {}
  [[nodiscard]] std::string text() const override { return below_->text() + ", with a guest agent but without systemd and reboot"; }
  [[nodiscard]] std::string login() const override { return isolated_ ? "" : below_->login(); }
  Status clear(const std::string& folder) override { return clear_hosts(folder); }

  Result<std::unique_ptr<EmulatedHost>> start(const HostOrder& order) override {
    HostOrder alone = order;
    alone.command = {"/bin/bash", "-c", guest_agent(), "guest-agent", "alone"};
    std::string folder = isolated_ ? "/etc/ssh" : order.folder + "/root";
    std::string settings = filled(kServerSettings, "/etc/ssh", folder);
    if (!isolated_)
      settings =
          "PermitRootLogin prohibit-password\nStrictModes no\nPidFile none\nAuthorizedKeysFile " + folder + "/authorized_keys\n" + settings;
    alone.environment = {{"EMULATED_INSTANCE", order.id},
                         {"GCE_METADATA_HOST", isolated_ ? "169.254.169.254:80" : "127.0.0.1:" + std::to_string(order.api_port)},
                         {"GUEST_FOLDER", folder},
                         {"GUEST_SETTINGS", settings},
                         {"GUEST_USERS", isolated_ ? "yes" : "no"}};
    return below_->start(alone);
  }

 private:
  std::unique_ptr<HostMaker> below_;
  bool isolated_;
};

/// A folder below /tmp that goes with this object.
class Scratch {
 public:
  Scratch() : made_(mkdtemp(path_) != nullptr) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (made_) static_cast<void>(remove_pod_folder(path_));
  }
  [[nodiscard]] std::string path() const { return made_ ? path_ : ""; }

 private:
  char path_[32] = "/tmp/vt-machine-XXXXXX";
  bool made_;
};

/// Runs one program the way a machine's systemd would be: only that tells.
Status try_nspawn() try {
  if (geteuid() != 0) return fail(Errc::auth, "needs root");
  if (find_program("systemd-nspawn").empty()) return fail(Errc::not_found, "not installed (package systemd-container)");
  if (access(kInit, X_OK) != 0) return fail(Errc::not_found, std::string(kInit) + " is not there");
  if (!fs::is_symlink("/bin")) return fail(Errc::refused, "/bin is not a link into /usr here");
  VT_TRY(auto network, Network::make());
  Scratch scratch;
  make_folders(scratch.path());
  fs::copy_file("/etc/os-release", scratch.path() + "/etc/os-release");
  std::string mark = pod_mark("trial-" + std::to_string(getpid()));
  Words command{"/bin/sh", "-c", kBoot, "sh", mark};
  for (auto& word : nspawn(scratch.path(), mark)) command.push_back(word);
  command.emplace_back("/usr/bin/true");
  auto deadline = Deadline::after(std::chrono::seconds(20));
  Network::Visit visit(network);
  VT_TRY(Finished done, run_program(command, deadline));
  VT_CHECK(run_program({"/bin/sh", "-c", filled(kAfter, "@MARK@", mark)}, deadline));
  if (done.exit_code != 0) return fail(Errc::refused, printable(join(split(done.output, '\n'), "; ")));
  return {};
} catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }

}  // namespace

std::unique_ptr<HostMaker> make_machine_maker(bool processes_only, std::string& why_not) {
  if (processes_only) return std::make_unique<WithoutSystemd>(make_processes(), false);
  auto works = try_nspawn();
  if (works) return std::make_unique<Machines>();
  why_not += (why_not.empty() ? "" : "; ") + std::string("systemd-nspawn: ") + works.error().what;
  if (auto containers = make_containers(why_not)) return std::make_unique<WithoutSystemd>(std::move(containers), true);
  return std::make_unique<WithoutSystemd>(make_processes(), false);
}

}  // namespace vt::emulator
