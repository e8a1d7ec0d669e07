#include "providers/emulator/hosts/hosted.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>

#include "orchestrator/model/hex.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/container/pod.hpp"
#include "providers/container/process.hpp"
#include "providers/emulator/hosts/files.hpp"
#include "providers/emulator/hosts/relay.hpp"
#include "providers/emulator/hosts/supervisor.hpp"

namespace vt::emulator {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::size_t kLogShown = 64 * 1024, kLogKept = 256 * 1024;
constexpr int kFoldersDeep = 3;  ///< below an emulator's folder, a host's folder is found
constexpr std::size_t kSsh = 0;  ///< the first route
constexpr const char* kMetadataAddress = "169.254.169.254";
/// No pod of the container provider has such a name, so that nobody takes emulated hosts for those.
constexpr const char* kMarkName = "emulated.";

class Hosted final : public EmulatedHost {
 public:
  static Result<std::unique_ptr<EmulatedHost>> start(Prepared prepared) {
    auto host = std::unique_ptr<Hosted>(new Hosted(std::move(prepared)));
    VT_TRY(auto routes, host->routes());
    VT_CHECK(host->run());
    host->relay_ = std::make_unique<Relay>(std::move(routes), [log = host->log_] { cap_file(log, kLogKept, kLogShown); });
    return host;
  }
  ~Hosted() override {
    relay_.reset();
    supervisor_.reset();
    static_cast<void>(remove_pod_folder(prepared_.order.folder + "/root"));  // the log stays
  }

  [[nodiscard]] int public_port() const override {
    std::lock_guard lock(mutex_);
    return public_port_;
  }
  [[nodiscard]] bool alive() const override {
    std::lock_guard lock(mutex_);
    return supervisor_ && supervisor_->alive();
  }
  [[nodiscard]] std::string log() const override {
    std::string text = tail_of(log_, kLogShown);
    return text.size() < kLogShown ? tail_of(log_ + ".old", kLogShown - text.size()) + text : text;
  }
  Status stop() override {
    std::lock_guard lock(mutex_);
    return supervisor_ ? supervisor_->stop(Deadline::after(seconds(20))) : Status();
  }
  Status restart() override {
    VT_CHECK(stop());
    return run();
  }
  Result<int> move_port() override {
    VT_TRY(Fd listener, Network().listen(prepared_.order.public_address, 0));
    std::lock_guard lock(mutex_);
    public_port_ = port_of(listener);
    relay_->replace_listener(kSsh, std::move(listener));
    return public_port_;
  }

 private:
  explicit Hosted(Prepared prepared) : prepared_(std::move(prepared)), log_(prepared_.order.folder + "/log") {}

  Result<std::vector<Relay::Route>> routes() {
    auto& order = prepared_.order;
    std::vector<Relay::Route> routes;
    VT_TRY(Fd ssh, ours_.listen(order.public_address, order.public_port));
    public_port_ = port_of(ssh);
    routes.push_back({std::move(ssh), &prepared_.network, "127.0.0.1", prepared_.ssh_port});
    if (!prepared_.network.own() || order.api_port == 0) return routes;
    VT_TRY(Fd api, prepared_.network.listen("127.0.0.1", order.api_port));
    routes.push_back({std::move(api), &ours_, "127.0.0.1", order.api_port});
    if (!prepared_.metadata) return routes;
    VT_TRY(Fd metadata, prepared_.network.listen(kMetadataAddress, 80));
    routes.push_back({std::move(metadata), &ours_, "127.0.0.1", order.api_port});
    return routes;
  }

  Status run() {
    std::lock_guard lock(mutex_);
    supervisor_.reset();
    Network::Visit visit(prepared_.network);
    VT_TRY(Supervisor started, Supervisor::start({prepared_.command, prepared_.order.folder, prepared_.mark, prepared_.after}));
    supervisor_ = std::make_unique<Supervisor>(std::move(started));
    return {};
  }

  Prepared prepared_;
  Network ours_;
  std::string log_;
  mutable std::mutex mutex_;  ///< of what follows
  int public_port_ = 0;
  std::unique_ptr<Supervisor> supervisor_;
  std::unique_ptr<Relay> relay_;
};

bool runs(const std::string& name) {
  auto marked = scan_processes().marked;
  return std::any_of(marked.begin(), marked.end(), [&](auto& process) { return process.pod == name; });
}

/// The supervisor of a dead emulator is at it already, and knows everything of its host; if somebody killed that too, the mark
/// tells what can still be found.
Status finish(const std::string& folder) {
  std::string name{trim(tail_of(folder + "/mark", 128))};
  auto deadline = Deadline::after(seconds(5));
  while (runs(name) && !deadline.passed()) poll(nullptr, 0, 20);
  VT_CHECK(kill_pod_processes(name, Deadline::after(seconds(10))));
  return remove_pod_folder(folder);
}

}  // namespace

Result<std::string> new_mark(const std::string& folder) {
  std::array<char, 8> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) return fail(Errc::internal, "no random numbers");
  std::string name = kMarkName + hex({random.data(), random.size()});
  VT_CHECK(write_file(folder + "/mark", name + "\n", 0600));
  return pod_mark(name);
}

Result<std::unique_ptr<EmulatedHost>> start_host(Prepared prepared) { return Hosted::start(std::move(prepared)); }

Status clear_hosts(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kFoldersDeep || at->path().filename() == "root") at.disable_recursion_pending();
    if (at->path().filename() == "mark") found.push_back(at->path().parent_path());
  }
  if (error && error != std::errc::no_such_file_or_directory) return fail(Errc::storage, folder + ": " + error.message());
  for (auto& host : found) VT_CHECK(finish(host));
  return {};
}

Status write_start_script(const std::string& path, const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment) {
  std::string script = "# Process 1 of an emulated host: its start command, in its environment.\ncd /\n";
  for (auto& [name, value] : environment) {
    bool usable = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                  std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (!usable) return fail(Errc::config, "\"" + printable(name) + "\" cannot be the name of an environment variable");
    script += "export " + name + "=" + shell_quote(value) + "\n";
  }
  for (auto& word : command) script += shell_quote(word) + " ";
  return write_file(path, script + "&\nwait $!\n", 0600);
}

}  // namespace vt::emulator
