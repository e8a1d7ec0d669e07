#include "tests/unit/report/fixture.hpp"

#include <filesystem>

#include "orchestrator/store/ledger.hpp"

namespace vt {

namespace {

void expect_ok(const Status& status) {
  if (!status) ADD_FAILURE() << status.error().what;
}

}  // namespace

RunBuilder::RunBuilder() {
  char folder[] = "/tmp/vt-report-XXXXXX";
  dir_ = mkdtemp(folder);
  clock.wall_ms = 1'795'170'600'000;  // 2026-11-20T10:30:00Z
  auto opened = Store::open(dir_, clock);
  if (!opened) throw std::runtime_error(opened.error().what);
  store_ = std::move(opened).take();
  run.id = kRun, run.plan = "quickstart", run.level = "standard", run.tool = "0.1.0", run.started = clock.wall_ms;
  run.subject = {"/home/kim/golden-image", "4c1d9e2f00000000000000000000000000000000", false, "d1", ""};
  run.holder = this_holder();
}

RunBuilder::~RunBuilder() {
  store_.reset();
  std::filesystem::remove_all(dir_);
}

void RunBuilder::check(const std::string& id, const std::string& title, Severity severity) {
  Check c;
  c.id = id, c.title = title, c.severity = severity;
  c.requirement = "OS-01", c.how = CommandRun{{"true"}};
  catalogue.checks.push_back(c);
}

void RunBuilder::layer(const std::string& name, const std::vector<std::string>& checks, const std::string& provider) {
  LayerRow row;
  row.run = kRun, row.name = name, row.provider = provider;
  layers_.push_back(row);
  for (auto& id : checks) {
    auto check = catalogue.check(id);
    planned_.push_back({kRun, name, id, check ? check->title : "", std::string(vt::name(check ? check->severity : Severity::gate)),
                        static_cast<int>(planned_.size())});
  }
}

Store& RunBuilder::start() {
  expect_ok(store_->add_run(run, layers_, planned_));
  return *store_;
}

Judgement RunBuilder::judged(const std::string& layer, const std::string& check, Verdict verdict, Cause cause,
                             const std::string& reason) const {
  Judgement j;
  j.key.run = kRun, j.key.layer = layer, j.key.host = layer, j.key.check = check;
  j.verdict = verdict, j.cause = cause, j.reason = reason, j.origin = run.origin, j.at = clock.wall_ms;
  return j;
}

void RunBuilder::add(const Judgement& j, const Observation* seen) { expect_ok(store_->add_result(seen, j)); }

void RunBuilder::pass(const std::string& layer, const std::vector<std::string>& checks) {
  for (auto& id : checks) add(judged(layer, id, Verdict::pass));
}

void RunBuilder::skip(const std::string& layer, const std::string& capability, const std::string& evidence,
                      const std::vector<std::string>& checks) {
  for (auto& id : checks) {
    auto j = judged(layer, id, Verdict::skip, Cause::capability, capability + ": " + evidence);
    j.capability = capability, j.evidence = evidence;
    add(j);
  }
}

void RunBuilder::miss(const std::string& layer, const std::string& check, Verdict verdict, const std::string& measured,
                      const std::string& rule, const std::string& why) {
  auto j = judged(layer, check, verdict, Cause::check, why);
  j.values = {{"value", measured, rule, "missed", why}};
  add(j);
}

void RunBuilder::move(const std::string& layer, LayerState state, const std::string& detail) {
  expect_ok(store_->move_layer(kRun, layer, state, detail));
  event(layer, event::LayerMoved{state, detail});
}

void RunBuilder::event(const std::string& layer, const EventBody& body) { expect_ok(store_->add_event(kRun, layer, body)); }

void RunBuilder::finish(int exit_code) {
  for (auto& layer : layers_) move(layer.name, LayerState::done);
  expect_ok(store_->end_run(kRun, exit_code));
}

RunView RunBuilder::view() {
  auto seen = view_run(*store_, "last");
  if (!seen) {
    ADD_FAILURE() << seen.error().what;
    return {};
  }
  return std::move(seen).take();
}

void fill_quickstart(RunBuilder& b) {
  b.check("os.release", "Supported distribution");
  b.check("os.kernel", "Kernel version");
  b.check("os.time_sync", "Clock is synchronised", Severity::warn);
  b.catalogue.checks.back().why = "certificates, leases and log correlation break on skewed clocks";
  b.catalogue.checks.back().remedy = "systemctl enable --now chrony";
  b.check("module.load", "A module can be loaded");
  b.check("module.params", "Module parameters survive a reload");
  b.check("gpu.count", "Number of GPUs");
  b.check("gpu.memory", "GPU memory");
  b.check("gpu.name", "GPU model", Severity::info);
  std::vector<std::string> all;
  for (auto& c : b.catalogue.checks) all.push_back(c.id);
  b.layer("laptop", all), b.layer("podlike", all, "container");
  b.start();
  b.move("laptop", LayerState::preflight), b.move("podlike", LayerState::preflight);
  b.event("podlike", event::CapabilityDiffers{"podlike", "dmesg.read", "no", "yes", "one record was read from /dev/kmsg"});
  b.pass("laptop", {"os.release", "os.kernel", "module.load", "module.params"});
  b.miss("laptop", "os.time_sync", Verdict::warn, "unsynchronised", "equals synchronised");
  b.pass("podlike", {"os.release", "os.kernel"});
  b.skip("podlike", "init.systemd", "process 1 is sshd", {"os.time_sync"});
  b.skip("podlike", "kernel.modules", "CapEff lacks CAP_SYS_MODULE", {"module.load", "module.params"});
  for (auto layer : {"laptop", "podlike"}) b.skip(layer, "gpu", "no PCI 10de device", {"gpu.count", "gpu.memory", "gpu.name"});
  b.pass_time(6);
  b.finish();
}

void fill_broken(RunBuilder& b) {
  b.run.plan = "blackwell", b.run.purpose = "Golden image for 2x RTX 5090";
  b.check("os.kernel", "Kernel version");
  b.catalogue.checks.back().why = "Blackwell's open driver is only tested on recent kernels";
  b.catalogue.checks.back().remedy = "Install a newer kernel and reboot";
  b.check("disk.verify", "Written data reads back");
  b.check("gpu.count", "Number of GPUs");
  b.check("gpu.soak", "An hour under load");
  b.check("gpu.errors", "No Xid errors after the soak");
  b.check("net.dns", "Names resolve", Severity::warn);
  std::vector<std::string> all;
  for (auto& c : b.catalogue.checks) all.push_back(c.id);
  b.layer("cube", all, "bare-metal"), b.layer("rack", all, "bare-metal"), b.layer("pod", all, "container"), b.layer("after", all, "local");
  auto& store = b.start();
  for (auto layer : {"cube", "rack", "pod"}) b.move(layer, LayerState::preflight);
  Subject other = b.run.subject;
  other.commit = "9ab0000000000000000000000000000000000000", other.dirty = true, other.digest = "d2";
  if (auto set = store.set_layer_subject(RunBuilder::kRun, "rack", other); !set) ADD_FAILURE() << set.error().what;
  for (auto layer : {"cube", "rack"}) b.miss(layer, "os.kernel", Verdict::fail, "6.8.0-45-generic", "at-least 6.13", "6.8.0 is below 6.13");
  b.add(b.judged("cube", "disk.verify", Verdict::error, Cause::check, "timed out after 10s")), b.pass("rack", {"disk.verify"});
  ArtefactRow kept{RunBuilder::kRun, "cube", "cube", "disk.verify", "kernel", "", 0, 0};
  if (auto added = store.add_artefact(kept, "nvme0: I/O timeout\n"); !added) ADD_FAILURE() << added.error().what;
  for (auto layer : {"cube", "rack"}) {
    b.miss(layer, "gpu.count", Verdict::fail, layer == std::string("cube") ? "1" : "0", "equals 2");
    b.add(b.judged(layer, "gpu.soak", Verdict::blocked, Cause::dependency, "gpu.count is fail"));
    b.add(b.judged(layer, "gpu.errors", Verdict::blocked, Cause::dependency, "gpu.soak is blocked"));
  }
  b.pass("rack", {"net.dns"});  // and nothing about it from the cube
  for (auto& id : all) b.add(b.judged("pod", id, Verdict::blocked, Cause::infrastructure, "TCP: 127.0.0.1:2201 refused the connection"));
  for (auto& id : all)
    b.add(b.judged("after", id, Verdict::blocked, Cause::dependency, "gate cube is closed: it has not passed in this run"));
  b.event("", event::Spent{Money{1'230'000}});
  b.pass_time(3720);
  b.move("cube", LayerState::done), b.move("rack", LayerState::done);
  b.move("pod", LayerState::failed, "TCP: 127.0.0.1:2201 refused the connection");
  b.move("after", LayerState::blocked, "gate cube is closed: it has not passed in this run");
  if (auto ended = store.end_run(RunBuilder::kRun, 3); !ended) ADD_FAILURE() << ended.error().what;
}

void fill_rehearsal(RunBuilder& b) {
  b.run.origin = EvidenceOrigin::rehearsal, b.run.subject = {};
  b.check("os.release", "Supported distribution"), b.check("os.kernel", "Kernel version"), b.check("os.swap", "Swap is off");
  b.layer("pod", {"os.release", "os.kernel", "os.swap"}, "runpod");
  b.start();
  b.move("pod", LayerState::execute);
  b.pass("pod", {"os.release"});
  for (auto id : {"os.kernel", "os.swap"}) b.add(b.judged("pod", id, Verdict::cancelled, Cause::operator_, "interrupted"));
  b.pass_time(2);
  b.move("pod", LayerState::cancelled, "interrupted");
  if (auto ended = b.store().end_run(RunBuilder::kRun, 130); !ended) ADD_FAILURE() << ended.error().what;
}

}  // namespace vt
