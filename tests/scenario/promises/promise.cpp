#include "promise.hpp"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/figures.hpp"

namespace vt::test {

using nlohmann::json;

namespace {

/// Where instances are plain processes, nobody but their owner can log in.
std::string login() {
  if (geteuid() == 0) return "";
  auto user = getpwuid(geteuid());
  return user ? std::string(", user: ") + user->pw_name : "";
}

/// Labels of Compute Engine as they would be in the environment of a pod.
json as_environment(const json& labels) {
  const std::map<std::string, std::string> names{
      {"vt-install", "VT_INSTALL"}, {"vt-attempt", "VT_ATTEMPT"}, {"vt-expires", "VT_EXPIRES"}, {"vt-token", "VT_TOKEN"}};
  json out = json::object();
  for (auto& [label, value] : labels.items()) out[names.at(label)] = value;
  return out;
}

}  // namespace

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool long_run() { return std::getenv("VT_LONG") != nullptr; }

void Promise::SetUp() {
  folder_ = std::make_unique<TempDir>();
  forget_state();
}

void Promise::TearDown() {
  close_books();
  clouds.stop();
  if (!IsSkipped()) note_figures(name_, figures_);
}

void Promise::close_books() {
  if (clouds.address().empty()) return;
  auto seen = books();
  count("hosts_made", seen.made), count("creates_on_the_wire", seen.creates);
  count("repeated_creates", seen.repeated), count("foreign_deletions", seen.foreign_gone);
}

void Promise::forget_state() {
  program = std::make_unique<Program>();
  program->binary = VT_PROMISES_DIR "/vault-test";
  program->catalogue = VT_SOURCE_DIR "/tests/data/promises";
}

std::unique_ptr<Program> Promise::beside() const {
  auto other = std::make_unique<Program>();
  other->binary = program->binary, other->catalogue = program->catalogue, other->state_folder = program->state();
  return other;
}

void Promise::begin(const EmulatorOptions& options) {
  close_books();
  planted_.clear();
  auto started = clouds.start(*folder_ / ("clouds" + std::to_string(++emulators_)), options);
  ASSERT_TRUE(started) << started.error().what;
  forget_state();
  plant_strangers();
}

std::vector<std::string> Promise::words(std::vector<std::string> command) const {
  command.insert(command.end(), {"--rehearse", "--emulator", clouds.address(), "--pace", kPace});
  return command;
}

std::string Promise::layer(const std::string& provider, int hosts, const std::string& check, const std::string& more) {
  bool gcp = provider == "gcp";
  std::string own = gcp ? "project: rehearsal, machine: e2-standard-2, zones: [us-central1-a], market: [on-demand]" + login()
                        : "gpu: NVIDIA L4, cloud: [SECURE], image: nvidia/cuda:12.8.0-base-ubuntu24.04, disk: 20 GB";
  return "  " + provider + "-layer: {provider: " + provider + ", " + own + ", count: " + std::to_string(hosts) + ", checks: [" + check +
         "], budget: {minutes: 5}" + more + "}\n";
}

std::string Promise::plan_of(const std::vector<std::string>& layers, const std::string& more) {
  std::string text = "vault-test: 1\nname: promises\n" + more + "layers:\n";
  for (auto& layer : layers) text += layer;
  return program->plan(text);
}

std::string Promise::plant(const std::string& api, const std::string& name, const json& labels, bool ours) {
  auto made = clouds.post("foreign", {{"api", api}, {"name", name}, {"labels", labels}, {"env", as_environment(labels)}});
  EXPECT_TRUE(made.is_object()) << name;
  std::string id = made.is_object() ? made.value("id", "") : "";
  if (ours) planted_.insert(id);
  return id;
}

/// None of these is provably ours and expired, whoever looks.
void Promise::plant_strangers() {
  const std::string attempt = "aaaaaaaaaaaaaaaa";
  for (std::string api : {"gcp", "runpod"}) {
    plant(api, "somebody-elses", json::object());
    plant(api, "vt-strange1-" + attempt, json::object());
    plant(api, "vt-strange2-" + attempt,
          {{"vt-install", "strange2"}, {"vt-attempt", attempt}, {"vt-expires", "1000000000"}, {"vt-token", "no"}});
    plant(api, "vt-strange3-" + attempt, {{"vt-install", "strange3"}, {"vt-expires", "soon"}});
  }
}

json Promise::rows() {
  auto all = beside()->run({"resources", "--all", "--json", "--rehearse"});
  auto list = json::parse(all.out, nullptr, false);
  EXPECT_TRUE(list.is_array()) << all.out << all.err;
  return list;
}

bool Promise::alive(int count, int seconds) const {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < until) {
    int now = 0;
    for (auto& thing : clouds.things()) now += thing["gone"] == 0 && thing["foreign"] == false && thing["kind"] != "disk";
    if (now == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// A closed row has nothing alive behind it, and what is alive has an open row.
void Promise::expect_ledger_agrees() {
  std::map<std::string, bool> there;
  for (auto& thing : clouds.things()) there[thing["name"]] |= thing["gone"] == 0 && thing["foreign"] == false;
  std::map<std::string, std::string> known;
  for (auto& row : rows()) {
    std::string name = row["name"], state = row["state"];
    known[name] = state;
    bool closed = state == "gone" || state == "refused" || state == "presumed_absent";
    if (!closed || !there[name]) continue;
    count("closed_while_alive");
    ADD_FAILURE() << name << " is " << state << " in the ledger, and alive";
  }
  for (auto& [name, is_there] : there)
    if (is_there && !known.contains(name)) ADD_FAILURE() << name << " is alive and in no ledger";
}

void Promise::expect_nothing_wrong(int most) {
  auto seen = books();
  int beyond = 0;
  for (auto& [provider, hosts] : seen.most) beyond += std::max(0, hosts - most);
  EXPECT_EQ(beyond, 0) << "more hosts at once than were asked for";
  EXPECT_EQ(seen.repeated, 0) << "more than one create request for a token: " << clouds.requests().dump(1);
  EXPECT_EQ(seen.foreign_gone, 0) << "something of a stranger ended: " << clouds.things().dump(1);
  expect_ledger_agrees();
  count("duplicates", beyond);
}

void Promise::expect_kept(int most, int reaps) {
  program->environment.clear();
  std::string said;
  for (int i = 0; i < reaps && (i == 0 || books().alive > 0); ++i) {
    auto reaped = vault({"reap", "--yes"});
    said += reaped.out + reaped.err;
    EXPECT_TRUE(reaped.exit_code == 0 || reaped.exit_code == 5) << reaped.exit_code << said;
    count("reaps");
  }
  auto seen = books();
  EXPECT_EQ(seen.alive, 0) << seen.leaks << said;
  count("scenarios"), count("leaks", seen.alive);
  expect_nothing_wrong(most);
}

}  // namespace vt::test
