#include "providers/emulator/gcp/api.hpp"

// What becomes of an instance over time.
namespace vt::emulator::gcp {

using std::chrono::seconds;

namespace {

constexpr seconds kGuestBoot{12};    ///< from RUNNING until the guest is started; its own boot comes on top
constexpr seconds kStopTime{30};     ///< STOPPING; also the notice before a preemption
constexpr int kRunDurationLag = 30;  ///< seconds that the end of maxRunDuration may be late

Duration run_duration(const Instance& i) {
  auto text = i.body.value("/scheduling/maxRunDuration/seconds"_json_pointer, json());
  if (text.is_null()) return Duration{0};
  return seconds(text.is_string() ? std::stoll(text.get<std::string>()) : text.get<std::int64_t>());
}

bool deleted_at_end(const Instance& i) { return i.body.value("/scheduling/instanceTerminationAction"_json_pointer, "") == "DELETE"; }

HostOrder order_for(const Engine& engine, const Instance& i) {
  HostOrder order;
  order.id = i.id, order.kind = HostOrder::Kind::machine;
  order.api_port = order.public_port = engine.world.server->port();
  order.public_address = i.address;
  return order;
}

}  // namespace

void Engine::later(const std::shared_ptr<Instance>& i, Duration when, std::function<void()> what) {
  world.after(when, [this, i, life = i->life, what = std::move(what)] {
    auto found = instances.find(i->path());
    if (found != instances.end() && found->second == i && i->life == life) what();
  });
}

void Engine::remember(Instance& i, const Call& call, bool foreign) {
  const Zone& zone = *find_zone(i.zone);
  bool address = !i.address.empty();
  Thing thing;
  thing.id = i.id, thing.provider = "gcp", thing.kind = "instance", thing.name = i.name, thing.zone = i.zone;
  thing.marks = marks_of(i.body), thing.foreign = foreign;
  thing.hourly = price(*i.machine, zone, i.spot, address), thing.least_seconds = 60;
  if (call.number != 0) thing.requests = {call.number};
  world.books->add(std::move(thing));
}

void Engine::run(const std::shared_ptr<Instance>& i) {
  i->body["status"] = "RUNNING", i->body["lastStartTimestamp"] = stamp(Clock::wall());
  world.books->meter(i->id, true);
  if (Duration most = run_duration(*i); most > Duration::zero()) {
    i->body["resourceStatus"]["scheduling"]["terminationTimestamp"] = stamp(Clock::wall() + world.clock.real(most).count());
    Duration lag = seconds(static_cast<int>(world.random() % kRunDurationLag));
    later(i, most + lag, [this, i] { halt(i, "expired", deleted_at_end(*i)); });
  }
  if (i->stuck) return;
  later(i, kGuestBoot, [this, i] {
    auto up = [this, i, life = i->life](const Status& started) {
      std::lock_guard lock(world.mutex);
      if (i->life != life) return;
      if (!started) i->console += "The emulated host did not start: " + started.error().what + "\n";
      if (!started) return;
      world.books->ready(i->id);
      if (i->faults.has(FaultKind::preempt)) later(i, i->faults.length(FaultKind::preempt), [this, i] { end(i->id, "preempt"); });
    };
    if (std::exchange(i->started, true)) world.hosting->restart(i->id, up);
    else world.hosting->start(order_for(*this, *i), up);
  });
}

void Engine::halt(const std::shared_ptr<Instance>& i, const std::string& how, bool removed) {
  if (std::exchange(i->going, i->going || removed)) return;
  ++i->life;
  i->body["status"] = "STOPPING";
  world.hosting->pause(i->id);
  later(i, kStopTime, [this, i, how, removed] {
    if (removed) return remove(i, how);
    i->body["status"] = "TERMINATED", i->body["lastStopTimestamp"] = stamp(Clock::wall());
    if (i->body.contains("resourceStatus")) i->body["resourceStatus"].erase("scheduling");
    world.books->meter(i->id, false);
    world.changed.notify_all();
  });
}

void Engine::remove(const std::shared_ptr<Instance>& i, const std::string& how) {
  ++i->life;
  instances.erase(i->path());
  world.hosting->stop(i->id);
  world.books->ended(i->id, how);
  for (auto& attached : i->body["disks"]) {
    std::string path = path_of(attached.value("source", ""));
    auto disk = disks.find(path);
    if (disk == disks.end()) continue;
    if (attached.value("autoDelete", false)) remove_disk(path, how);
    else disk->second->body.erase("users");
  }
  world.changed.notify_all();
}

bool Engine::end(const std::string& id, const std::string& how) {
  for (auto& [path, found] : instances) {
    auto i = found;
    if (i->id != id) continue;
    if (how == "vanish") {
      remove(i, "vanished");
    } else if (how == "preempt") {
      i->preempted = true;
      record(*i, "compute.instances.preempted", "Instance was preempted.");
      halt(i, "preempted", deleted_at_end(*i));
    } else {
      halt(i, "expired", deleted_at_end(*i));
    }
    return true;
  }
  return false;
}

Result<std::string> Engine::foreign(const json& what) {
  std::string project = what.value("project", "rehearsal"), name = what.value("name", ""), kind = what.value("kind", "instance");
  const Zone* zone = find_zone(what.value("zone", "us-central1-b"));
  json labels = what.value("labels", json::object());
  if (name.empty() || zone == nullptr) return fail(Errc::usage, "a name, and a zone that exists, please");
  if (kind == "disk") return add_disk(Call(), project, *zone, {{"name", name}, {"labels", labels}}, true)->id;
  if (kind == "image") return add_image(Call(), project, {{"name", name}, {"labels", labels}}, 10, true)->id;
  auto i = std::make_shared<Instance>();
  i->id = new_id(), i->project = project, i->zone = zone->name, i->name = name;
  i->machine = find_machine("e2-micro");
  std::string base = "projects/" + project + "/zones/" + zone->name;
  i->body = {{"kind", "compute#instance"},
             {"id", i->id},
             {"name", name},
             {"labels", labels},
             {"labelFingerprint", new_fingerprint()},
             {"status", "RUNNING"},
             {"zone", url(base)},
             {"machineType", url(base + "/machineTypes/e2-micro")},
             {"selfLink", url(i->path())},
             {"creationTimestamp", stamp(Clock::wall())},
             {"disks", json::array()},
             {"metadata", {{"fingerprint", new_fingerprint()}}}};
  instances[i->path()] = i;
  remember(*i, Call(), true);
  world.books->meter(i->id, true);
  return i->id;
}

}  // namespace vt::emulator::gcp
