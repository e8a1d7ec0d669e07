// Pods as containers, and hosts of both kinds as plain processes.
#include <unistd.h>

#include <filesystem>

#include "orchestrator/model/text.hpp"
#include "providers/container/backend.hpp"
#include "providers/emulator/hosts/files.hpp"
#include "providers/emulator/hosts/hosted.hpp"
#include "providers/emulator/hosts/makers.hpp"
#include "providers/emulator/hosts/settings.hpp"

namespace vt::emulator {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// An SSH server that was unpacked, not installed, is found in the pod like an installed one.
Status add_ssh_server(const std::string& root, const SshServer& server) {
  if (server.pod_path.empty() || server.pod_path == server.machine_path) return {};
  fs::create_directories(root + "/.vt/bin");
  std::string libs = server.pod_libs.empty() ? "" : "export LD_LIBRARY_PATH=" + shell_quote(server.pod_libs) + "\n";
  return write_file(root + "/.vt/bin/sshd", "#!/bin/sh\n" + libs + "exec " + shell_quote(server.pod_path) + " \"$@\"\n", 0755);
}

std::map<std::string, std::string> with_defaults(std::map<std::string, std::string> environment, const HostOrder& order) {
  environment.try_emplace("PATH", std::string(kPath) + ":/.vt/bin");
  environment.try_emplace("HOME", "/root");
  environment.try_emplace("HOSTNAME", order.id);
  return environment;
}

/// What a rented pod is: this machine's programs with docker's rights, "/" its own and writable.
class Containers final : public HostMaker {
 public:
  [[nodiscard]] std::string text() const override { return "containers made with unshare on this machine's own programs"; }
  Status clear(const std::string& folder) override { return clear_hosts(folder); }

  Result<std::unique_ptr<EmulatedHost>> start(const HostOrder& order) override {
    VT_TRY(std::string mark, new_mark(order.folder));
    Prepared prepared{order, mark, {}, 22, order.kind == HostOrder::Kind::machine, {}, ""};
    VT_TRY(prepared.network, Network::make(prepared.metadata ? "169.254.169.254" : ""));
    VT_TRY(prepared.command, container(order, mark));
    return start_host(std::move(prepared));
  }

 private:
  static Result<std::vector<std::string>> container(const HostOrder& order, const std::string& mark) try {
    Pod pod;
    pod.folder = order.folder;
    Login login = current_login();
    SshServer server;
    if (auto found = find_ssh_server()) server = *found;  // an image without one is a case of its own
    VT_TRY(std::vector<Mount> mounts, make_view(pod, login, server, Settings::own));
    for (auto& path : shared_settings()) mounts.push_back({Mount::Kind::bind, path, path, ""});
    VT_CHECK(make_settings(pod.root(), order.id));
    VT_CHECK(add_ssh_server(pod.root(), server));
    VT_CHECK(write_file(pod.root() + "/.dockerenv", "", 0644));
    VT_CHECK(write_start_script(pod.root() + "/.vt/start", order.command, with_defaults(order.environment, order)));
    return kUnshare.prepare({order.id, mark, pod.folder, pod.root(), login, mounts, {"/bin/sh", "/.vt/start", mark}, true});
  } catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }
};

/// No isolation at all. The start command finds a port for its SSH server in VT_SSH_PORT and a folder to use instead of /run in
/// VT_DIR.
class Processes final : public HostMaker {
 public:
  [[nodiscard]] std::string text() const override {
    return "plain processes of " + current_login().name + ": no capabilities cut, no file system or network of their own, no reboot";
  }
  [[nodiscard]] std::string login() const override { return current_login().name; }
  Status clear(const std::string& folder) override { return clear_hosts(folder); }

  Result<std::unique_ptr<EmulatedHost>> start(const HostOrder& order) override try {
    VT_TRY(std::string mark, new_mark(order.folder));
    VT_TRY(int port, free_port());
    std::string home = order.folder + "/root", script = order.folder + "/start";
    for (auto folder : {"/run", "/tmp"}) fs::create_directories(home + folder);
    auto environment = order.environment;
    environment["VT_SSH_PORT"] = std::to_string(port);
    environment["VT_SSH_ADDRESS"] = "127.0.0.1";  // the machine's network is not its own
    environment["VT_DIR"] = home + "/run";
    environment["HOME"] = home;
    environment["TMPDIR"] = home + "/tmp";
    if (auto server = find_ssh_server()) {
      environment["PATH"] = fs::path(server->machine_path).parent_path().string() + ":" + kPath;
      if (!server->machine_libs.empty()) environment["LD_LIBRARY_PATH"] = server->machine_libs;
    }
    VT_CHECK(write_start_script(script, order.command, environment));
    return start_host({order, mark, {}, port, false, {"/bin/sh", script, mark}, ""});
  } catch (const fs::filesystem_error& e) { return fail(Errc::storage, e.what()); }
};

Status try_containers() {
  if (geteuid() != 0) return fail(Errc::auth, "needs root");
  VT_CHECK(try_backend(kUnshare));
  auto network = Network::make();
  if (!network) return fail(network.error());
  return {};
}

}  // namespace

std::unique_ptr<HostMaker> make_containers(std::string& why_not) {
  auto works = try_containers();
  if (works) return std::make_unique<Containers>();
  why_not += (why_not.empty() ? "" : "; ") + std::string("containers: ") + works.error().what;
  return nullptr;
}

std::unique_ptr<HostMaker> make_processes() { return std::make_unique<Processes>(); }

std::unique_ptr<HostMaker> make_pod_maker(bool processes_only, std::string& why_not) {
  auto containers = processes_only ? nullptr : make_containers(why_not);
  return containers ? std::move(containers) : make_processes();
}

}  // namespace vt::emulator
