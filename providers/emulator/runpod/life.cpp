#include "orchestrator/model/text.hpp"
#include "providers/emulator/hosts/network.hpp"
#include "providers/emulator/runpod/api.hpp"

// What becomes of a pod over time.
namespace vt::emulator::runpod {

using std::chrono::seconds;

namespace {

constexpr seconds kProvisioning{4}, kImagePull{20};
constexpr seconds kPortDelay{3};   ///< from the container's start until the API tells the port
constexpr seconds kStalePort{90};  ///< the port moves with every restart, and the API shows the old one for that long
constexpr seconds kLook{5};        ///< between two looks whether the start command has ended
/// A start command that ends at once is started again and again, but not faster than this, however fast emulated time runs.
constexpr Duration kLeastRealLook{1000};
constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kMostEvents = 1000;

std::int64_t per_hour(std::int64_t monthly, std::int64_t gigabytes) { return (monthly * gigabytes + kHoursPerMonth - 1) / kHoursPerMonth; }

std::int64_t compute_hourly(const json& body) {
  if (body.contains("cpu")) {
    const CpuKind* cpu = find_cpu(body["cpu"]["id"]);
    return cpu->vcpu * body["cpu"]["vcpuCount"].get<std::int64_t>();
  }
  const GpuKind* gpu = find_gpu(body["gpu"]["id"]);
  return (body["cloud"] == "SECURE" ? gpu->secure : gpu->community) * body["gpu"]["count"].get<std::int64_t>();
}

/// What the image runs when the request has no command of its own: RunPod's own images wait, a plain one has a shell that ends.
std::vector<std::string> command_of(const json& body) {
  auto words = words_of(body.value("args", ""));
  if (!words.empty()) return words;
  return body.value("image", "").starts_with("runpod/") ? std::vector<std::string>{"sleep", "infinity"} : std::vector<std::string>{"true"};
}

/// Known before the container starts, so that it can be told in its environment. Should somebody else have it by then, the start fails.
int port_to_be() { return free_port().value_or(0); }

}  // namespace

std::string Account::new_id() { return world.draw(14, kLetters); }

void Account::later(const std::shared_ptr<Pod>& pod, Duration when, std::function<void()> what) {
  world.after(when, [this, pod, life = pod->life, what = std::move(what)] {
    auto found = pods.find(pod->id);
    if (found != pods.end() && found->second == pod && pod->life == life) what();
  });
}

static void note(Pod& pod, const std::string& line) {
  if (pod.events.size() < kMostEvents) pod.events.emplace_back(Clock::wall(), line);
}

std::shared_ptr<Pod> Account::add(const Call& call, json body, const std::string& center) {
  auto pod = std::make_shared<Pod>();
  pod->id = new_id(), pod->name = body["name"], pod->key = "rpa_pod_" + world.draw(40, kLetters);
  pod->center = center, pod->created = Clock::wall(), pod->faults = call.faults;
  if (body.contains("gpu")) pod->cuda = call.faults.has(FaultKind::old_driver) ? "11.8" : find_center(center)->cuda;
  pod->hourly = compute_hourly(body) + per_hour(kDiskMonth, body["disk"].get<std::int64_t>());
  pod->body = std::move(body);
  pods[pod->id] = pod;
  Thing thing;
  thing.id = pod->id, thing.provider = "runpod", thing.kind = "pod", thing.name = pod->name, thing.zone = center;
  thing.marks = marks_of(pod->body), thing.hourly = {pod->hourly};
  if (call.number != 0) thing.requests = {call.number};
  world.books->add(std::move(thing));
  world.books->meter(pod->id, true);
  if (pod->faults.has(FaultKind::late)) {
    pod->hidden = true;
    world.after(pod->faults.length(FaultKind::late), [pod] { pod->hidden = false; });
  }
  if (pod->faults.has(FaultKind::vanish)) world.after(pod->faults.length(FaultKind::vanish), [this, id = pod->id] { end(id, "vanish"); });
  later(pod, kProvisioning, [this, pod] { run(pod); });
  return pod;
}

HostOrder Account::order_for(Pod& pod) const {
  HostOrder order;
  order.id = pod.id, order.kind = HostOrder::Kind::pod, order.command = command_of(pod.body);
  for (auto& [name, value] : pod.body["env"].items()) order.environment[name] = value;
  order.api_port = world.server->port();
  order.public_port = world.options.hosts == HostKind::none ? 0 : port_to_be();
  order.environment["RUNPOD_POD_ID"] = pod.id;
  order.environment["RUNPOD_POD_HOSTNAME"] = pod.id + "-64410000";
  order.environment["RUNPOD_API_KEY"] = pod.key;
  order.environment["RUNPOD_PUBLIC_IP"] = "127.0.0.1";
  if (pod.wants_ssh()) order.environment["RUNPOD_TCP_PORT_22"] = std::to_string(order.public_port);
  order.environment["RUNPOD_DC_ID"] = pod.center;
  order.environment["RUNPOD_GPU_COUNT"] = std::to_string(pod.faults.has(FaultKind::no_gpu) ? 0 : pod.gpus());
  return order;
}

void Account::run(const std::shared_ptr<Pod>& pod) {
  pod->status = "STARTING";
  note(*pod, "create container " + pod->body.value("image", ""));
  later(pod, pod->placed ? Duration{0} : Duration{kImagePull}, [this, pod] {
    auto up = [this, pod, life = pod->life](const Status& started) {
      std::lock_guard lock(world.mutex);
      if (pod->life != life || world.ending) return;
      if (started) return came_up(pod);
      pod->status = "ERROR", pod->placed = false;
      note(*pod, "error creating container: " + started.error().what);
    };
    if (std::exchange(pod->placed, true)) world.hosting->restart(pod->id, up);
    else world.hosting->start(order_for(*pod), up);
  });
}

void Account::came_up(const std::shared_ptr<Pod>& pod) {
  pod->status = "RUNNING", pod->started = Clock::wall();
  note(*pod, "start container");
  world.books->ready(pod->id);
  publish_port(pod);
  watch(pod);
  if (pod->faults.has(FaultKind::preempt)) later(pod, pod->faults.length(FaultKind::preempt), [this, pod] { remove(pod, "preempted"); });
}

void Account::publish_port(const std::shared_ptr<Pod>& pod) {
  if (!pod->wants_ssh() || pod->faults.has(FaultKind::stuck)) return;
  later(pod, pod->shown_port == 0 ? kPortDelay : kStalePort, [this, pod] {
    pod->shown_port = pod->faults.has(FaultKind::wrong_port) ? port_to_be() : world.hosting->public_port(pod->id);
    world.changed.notify_all();
  });
}

/// A container whose start command has ended is started again, and goes on being billed.
void Account::watch(const std::shared_ptr<Pod>& pod) {
  auto least = Duration{static_cast<Duration::rep>(static_cast<double>(kLeastRealLook.count()) / world.clock.pace())};
  later(pod, std::max(Duration{kLook}, least), [this, pod] {
    if (world.hosting->alive(pod->id)) return watch(pod);
    note(*pod, "container exited; start container again");
    world.hosting->restart(pod->id, [this, pod, life = pod->life](const Status&) {
      std::lock_guard lock(world.mutex);
      if (pod->life != life || world.ending) return;
      pod->started = Clock::wall();
      watch(pod);
    });
  });
}

void Account::start(const std::shared_ptr<Pod>& pod) {
  ++pod->life;
  world.books->meter(pod->id, true);
  run(pod);
  world.hosting->move_port(pod->id);
}

void Account::stop(const std::shared_ptr<Pod>& pod) {
  ++pod->life;
  pod->status = "EXITED", pod->started = 0;
  note(*pod, "stop container");
  world.hosting->pause(pod->id);
  world.books->meter(pod->id, false);
}

void Account::restart(const std::shared_ptr<Pod>& pod) {
  ++pod->life;
  run(pod);
  pod->status = "RUNNING";  // in place
  world.hosting->move_port(pod->id);
}

void Account::remove(const std::shared_ptr<Pod>& pod, const std::string& how) {
  ++pod->life;
  pod->status = "TERMINATED";
  pods.erase(pod->id);
  world.hosting->stop(pod->id);
  world.books->ended(pod->id, how);
  world.changed.notify_all();
}

bool Account::end(const std::string& id, const std::string& how) {
  auto found = pods.find(id);
  if (found == pods.end()) return false;
  auto pod = found->second;
  remove(pod, how == "vanish" ? "vanished" : how == "preempt" ? "preempted" : "expired");
  return true;
}

Result<std::string> Account::foreign(const json& what) {
  auto pod = std::make_shared<Pod>();
  pod->id = new_id(), pod->name = what.value("name", ""), pod->foreign = true, pod->in_cluster = what.value("cluster", false);
  if (pod->name.empty()) return fail(Errc::usage, "a name, please");
  pod->status = "RUNNING", pod->created = pod->started = Clock::wall();
  pod->center = "US-KS-2", pod->cuda = "12.8", pod->hourly = 440'000;
  pod->body = {{"image", "runpod/base:1"},
               {"args", ""},
               {"disk", 20},
               {"mounts", json::object()},
               {"ports", json::array({"8888/http"})},
               {"env", what.value("env", json::object())},
               {"registry", nullptr},
               {"cloud", "SECURE"},
               {"gpu", {{"id", "NVIDIA GeForce RTX 4090"}, {"count", 1}}}};
  pods[pod->id] = pod;
  Thing thing;
  thing.id = pod->id, thing.provider = "runpod", thing.kind = "pod", thing.name = pod->name, thing.zone = pod->center;
  thing.marks = marks_of(pod->body), thing.foreign = true, thing.hourly = {pod->hourly};
  world.books->add(std::move(thing));
  world.books->meter(pod->id, true);
  return pod->id;
}

}  // namespace vt::emulator::runpod
