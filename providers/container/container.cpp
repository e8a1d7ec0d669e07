#include "providers/container/container.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/container/backend.hpp"
#include "providers/container/pod.hpp"
#include "providers/container/process.hpp"
#include "providers/container/settings.hpp"
#include "providers/container/view.hpp"
#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/ssh_keys.hpp"

namespace vt {

namespace {

using std::chrono::seconds;

constexpr int kLooksUntilEnded = 15;  ///< 20 ms apart

/// A loopback port nobody has; held while this lives, so that pods made at the same time get different ones. The SSH
/// server can bind it all the same: neither side listens yet, and both allow the address to be reused.
struct HeldPort {
  Fd socket;
  int number = 0;
};
Result<HeldPort> hold_port() {
  HeldPort port{Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  setsockopt(port.socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(port.socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(port.socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return fail(Errc::transport, std::string("no free port on 127.0.0.1: ") + std::strerror(errno));
  port.number = ntohs(address.sin_port);
  return port;
}

/// The chosen backend, or the first that works; the Error says why none does.
Result<const Backend*> choose_backend(const Layer& layer) {
  std::string wanted = option(layer, "backend"), reasons;
  for (auto backend : backends()) {
    if (!wanted.empty() && wanted != backend->name) continue;
    auto works = try_backend(*backend);
    if (works) return backend;
    reasons += (reasons.empty() ? "" : ", ") + std::string(backend->name) + ": " + works.error().what;
  }
  if (reasons.empty()) return fail(Errc::config, "backend \"" + wanted + "\" is unknown; expected runc, bwrap or unshare");
  return fail(Errc::refused, "no way to make namespaces works here: " + reasons);
}

/// What to do where no backend works.
Finding no_backend(const std::string& wanted, const Error& error) {
  if (!wanted.empty()) return {Finding::Kind::policy, Finding::Weight::stops, error.what, "leave `backend` out to have one chosen"};
  if (geteuid() != 0)
    if (auto setting = user_namespaces_refused(); !setting.empty())
      return {Finding::Kind::policy, Finding::Weight::stops,
              "user namespaces are refused to ordinary users here: " + setting + " (" + error.what + ")",
              "change that setting with sysctl, install bubblewrap, or run as root"};
  return {Finding::Kind::missing_tool, Finding::Weight::stops, error.what,
          "install runc or bubblewrap; in a container, start that with the right to make namespaces (--privileged)"};
}

/// A pod-like host on this machine: the machine's own programs, read-only, behind a real SSH server.
class Container final : public Provider {
 public:
  explicit Container(const ProviderContext& context)
      : state_dir_(std::filesystem::absolute(context.state_dir)), clock_(context.clock ? *context.clock : system_clock_) {}

  [[nodiscard]] Capabilities predict(const Layer&) const override {
    auto p = predict_pod();
    p.add("virt.container", "oci", "process 1 has container=oci");
    bool root = geteuid() == 0;
    p.add("host.root", root, root ? "the pod is entered as root" : "the pod is entered as the user who runs vault-test", FactScope::login);
    std::ifstream restricted("/proc/sys/kernel/dmesg_restrict");
    if (int value = 0; restricted >> value && value == 1)
      p.add("dmesg.read", false, "kernel.dmesg_restrict = 1 and pods lack CAP_SYSLOG", FactScope::login);
    return p.take();
  }

  [[nodiscard]] Quote quote(const Layer&) const override {
    Quote quote;
    quote.start_low = Duration{200};
    quote.start_high = Duration{2000};
    return quote;
  }

  std::vector<Finding> preflight(const Layer& layer) override {
    std::vector<Finding> findings;
    if (auto server = find_ssh_server(); !server)
      findings.push_back(
          {Finding::Kind::missing_tool, Finding::Weight::stops, server.error().what, "install openssh-server (it need not run)"});
    if (auto backend = choose_backend(layer); !backend) findings.push_back(no_backend(option(layer, "backend"), backend.error()));
    return findings;
  }

  [[nodiscard]] bool existing_hosts() const override { return false; }
  /// What happens on this machine is seen at once.
  [[nodiscard]] Duration confirm_spacing() const override { return Duration{50}; }
  [[nodiscard]] Duration late_appearance() const override { return Duration{0}; }

  CreateOutcome create(const Layer& layer, const Resource& resource) override {
    auto& name = resource.owner.name;
    if (!is_pod_name(name)) return Refused{Finding::Kind::policy, "\"" + name + "\" cannot be the name of a pod"};
    auto means = find_means(layer);
    if (!means) return Refused{Finding::Kind::missing_tool, means.error().what};
    std::string folder = pod_folder(state_dir_, name);
    mkdir((state_dir_ + "/pods").c_str(), 0700);
    if (mkdir(folder.c_str(), 0700) != 0) {
      std::string what = folder + ": " + std::strerror(errno);
      return errno == EEXIST ? CreateOutcome(Ambiguous{what}) : CreateOutcome(Refused{Finding::Kind::policy, what});
    }
    if (auto launched = launch(*means, resource.owner); !launched) {
      // Refused means that nothing is left; where that cannot be said, the answer is unclear.
      if (auto cleared = clear(name); !cleared) return Ambiguous{launched.error().what + "; " + cleared.error().what};
      return Refused{Finding::Kind::policy, launched.error().what};
    }
    if (auto status = failpoint_reached("container.created"); !status) return Ambiguous{status.error().what};
    return Created{name};
  }

  Result<Allocation> wait_ready(const Layer&, const Resource& resource, Deadline deadline) override {
    VT_TRY(Pod pod, read_pod(pod_folder(state_dir_, resource.owner.name)));
    Host host{"host0", 0, pod.access};
    int looks_without = 0;
    while (true) {
      auto connected = connect(host, deadline.earlier(seconds(5)));
      if (connected) return Allocation{{host}, resource.owner.name};
      if (connected.error().code == Errc::host_key) return fail(connected.error());
      // One look can miss a pod whose processes are just taking over from one another.
      looks_without = runs(resource.owner.name) ? 0 : looks_without + 1;
      if (looks_without >= kLooksUntilEnded) return fail(Errc::transport, "the pod ended before it could be entered: " + log_tail(pod));
      if (deadline.passed()) return fail(Errc::timeout, "the pod could not be entered in time: " + connected.error().what);
      poll(nullptr, 0, 20);
    }
  }

  Status destroy(const Resource& resource) override {
    if (!is_pod_name(resource.owner.name)) return fail(Errc::config, "\"" + resource.owner.name + "\" is not the name of a pod");
    VT_FAILPOINT("container.destroy");
    VT_CHECK(clear(resource.owner.name));
    VT_FAILPOINT("container.destroyed");
    return {};
  }

  Result<Listing> list_owned(const std::string& install) override {
    auto processes = scan_processes();
    VT_TRY(std::vector<std::string> folders, pod_folders(state_dir_));
    std::set<std::string> names(folders.begin(), folders.end());
    for (auto& process : processes.marked)
      if (is_pod_name(process.pod)) names.insert(process.pod);
    Listing listing;
    listing.complete = processes.complete;
    for (auto& name : names)
      if (name.starts_with("vt-" + install + "-")) listing.resources.push_back(describe(name));
    return listing;
  }

 private:
  /// What the folder says, or what the name alone tells.
  [[nodiscard]] Resource describe(const std::string& name) const {
    Resource r;
    r.provider = "container";
    r.kind = "host";
    r.provider_id = name;
    r.owner.name = name;
    r.owner.attempt = name.substr(name.rfind('-') + 1);
    r.owner.install = name.substr(3, name.rfind('-') - 3);
    if (auto pod = read_pod(pod_folder(state_dir_, name))) r.owner = pod->owner;
    return r;
  }

  static bool runs(const std::string& name) {
    auto marked = scan_processes().marked;
    return std::any_of(marked.begin(), marked.end(), [&](auto& p) { return p.pod == name; });
  }

  struct Means {
    SshServer server;
    const Backend* backend;
    HeldPort port;
  };
  static Result<Means> find_means(const Layer& layer) {
    VT_FAILPOINT("container.create");
    VT_TRY(SshServer server, find_ssh_server());
    VT_TRY(const Backend* backend, choose_backend(layer));
    VT_TRY(HeldPort port, hold_port());
    return Means{std::move(server), backend, std::move(port)};
  }

  /// Fills the pod's new folder and starts the backend on it.
  Status launch(const Means& means, const Ownership& owner) {
    Login login = current_login();
    VT_TRY(SshKey host_key, new_ssh_key(owner.name));
    Pod pod{pod_folder(state_dir_, owner.name), owner, means.backend->name, {}};
    pod.access.address = "127.0.0.1";
    pod.access.port = means.port.number;
    pod.access.user = login.name;
    pod.access.identity = pod.identity();
    pod.access.host_key = host_key.fingerprint;
    pod.access.exclusive = true;
    VT_CHECK(write_owner(pod));
    VT_TRY(std::vector<Mount> mounts, make_view(pod, login, means.server));
    VT_CHECK(write_settings(pod, login, means.server, host_key));
    std::string mark = pod_mark(owner.name);
    std::vector<std::string> entry{"/bin/sh", "/.vt/vt-pod", mark, std::to_string(end_since_boot(owner.expires))};
    VT_TRY(auto command, means.backend->prepare({owner.name, mark, pod.folder, pod.root(), login, mounts, entry}));
    return launch_detached(command, pod.log());
  }

  /// The end of the lease on the clock that nobody sets: seconds since boot, sleep included.
  [[nodiscard]] std::int64_t end_since_boot(EpochMs expires) const {
    return (clock_.boot().count() + std::max<std::int64_t>(expires - clock_.wall(), 0)) / 1000;
  }

  /// Ends the processes and removes the folder; success if nothing was there.
  Status clear(const std::string& name) {
    auto deadline = Deadline::after(seconds(15));
    std::string folder = pod_folder(state_dir_, name);
    VT_CHECK(kill_pod_processes(name, deadline));
    VT_CHECK(clear_runc_state(folder, pod_mark(name), deadline));
    // A runc that was still starting when it was killed may leave the pod's first process to its records.
    VT_CHECK(kill_pod_processes(name, deadline));
    return remove_pod_folder(folder);
  }

  SystemClock system_clock_;
  std::string state_dir_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Provider> make_container(const ProviderContext& context) { return std::make_unique<Container>(context); }

}  // namespace vt
