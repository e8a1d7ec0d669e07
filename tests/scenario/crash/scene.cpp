#include "scene.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "providers/registry.hpp"

namespace vt::test {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string catalogue_text(const std::string& once_file) {
  return R"(vault-test-checks: 1
checks:
  - id: c.pass
    title: A check that holds
    why: Something must be proven
    run: {command: [echo, "7"]}
    values: {value: {type: integer, expect: {at-least: 5}}}
  - id: c.warn
    title: A check that advises
    why: Its logs are fetched
    severity: warn
    run: {command: [echo, "3"]}
    values: {value: {type: integer, expect: {at-least: 5}}}
  - id: c.once
    title: A check that outlives its connection
    why: It must not be started twice
    detached: true
    timeout: 60s
    run: {agent: sleep, args: {seconds: 0.4, file: )" +
         once_file + R"(}}
    values: {value: {type: number, json: /seconds, expect: {at-least: 0.4}}}
  - id: c.slow
    title: A check to be interrupted
    why: A person does not want to wait
    timeout: 60s
    run: {agent: sleep, args: {seconds: 40}}
    values: {value: {type: number, json: /seconds, expect: {at-least: 40}}}
)";
}

/// Why no pod can be made on this machine; empty if one can.
std::string no_pod(const std::string& state) {
  SystemClock clock;
  auto provider = find_provider("container")->make({state, &clock});
  for (auto& finding : provider->preflight({}))
    if (finding.weight == Finding::Weight::stops) return finding.what;
  return "";
}

/// Command lines of the processes there are, their words separated by spaces.
std::vector<std::string> command_lines() {
  std::vector<std::string> out;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator("/proc", ignored)) {
    auto text = read_file(entry.path() / "cmdline");
    std::replace(text.begin(), text.end(), '\0', ' ');
    if (!text.empty() && entry.path().filename() != std::to_string(getpid())) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool long_run() { return std::getenv("VT_LONG") != nullptr; }

std::string integrity(const std::string& database) {
  sqlite3* db = nullptr;
  std::string said;
  auto note = [](void* out, int, char** values, char**) { return *static_cast<std::string*>(out) += values[0], 0; };
  sqlite3_open_v2(database.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
  if (sqlite3_exec(db, "PRAGMA integrity_check", note, &said, nullptr) != SQLITE_OK) said += sqlite3_errmsg(db);
  sqlite3_close(db);
  return said;
}

void Scene::SetUp() {
  auto started = Sshd::start(options);
  if (!started) GTEST_SKIP() << started.error().what;
  sshd = std::move(started).take();
  if (auto why = no_pod(program.path("")); !why.empty()) GTEST_SKIP() << "no pod can be made here: " << why;
  fs::create_directories(program.path("catalogue/checks"));
  write_file(program.path("catalogue/checks/c.yaml"), catalogue_text(once_file()));
  program.catalogue = program.path("catalogue");
  plan_ = plan_of({pod_layer("c.pass, c.warn, c.once"), box_layer("c.pass, c.warn, c.once")});
}

void Scene::TearDown() {
  program.environment.clear();
  if (sshd) program.run({"reap"});
  unlink(once_file().c_str());
}

/// In /tmp itself: that is there in a pod, too, as a folder of the pod's own.
std::string Scene::once_file() const { return "/tmp/once-" + fs::path(program.path("")).parent_path().filename().string(); }

std::string Scene::pod_layer(const std::string& checks) const {
  return "  pod: {provider: container, budget: {minutes: 5}, checks: [" + checks + "]}\n";
}

std::string Scene::box_layer(const std::string& checks) const {
  return "  box:\n    provider: bare-metal\n    checks: [" + checks +
         "]\n    hosts: [{address: 127.0.0.1, port: " + std::to_string(sshd->port()) + ", user: " + sshd->access().user +
         ", identity: " + sshd->client_key() + ", host-key: \"" + sshd->host_key() + "\", exclusive: true}]\n";
}

std::string Scene::plan_of(const std::vector<std::string>& layers) {
  std::string text = "vault-test: 1\nname: crash\nlayers:\n";
  for (auto& layer : layers) text += layer;
  return program.plan(text);
}

void Scene::start_afresh() {
  program.environment.clear();
  fs::remove_all(program.state());
  fs::remove_all(sshd->home() + "/.cache");
  unlink(once_file().c_str());
}

Ended Scene::go_on() {
  program.environment.clear();
  auto runs = machine_readable({"runs", "--json"});
  if (!runs.is_array() || runs.empty()) return program.run({"run", plan_});
  if (runs[0]["exit_code"] == 0) return program.run({"status"});
  return program.run({"resume", "last"});
}

json Scene::machine_readable(const std::vector<std::string>& command) { return json::parse(program.run(command).out, nullptr, false); }

std::map<std::string, std::string> Scene::verdicts() {
  std::map<std::string, std::string> out;
  auto report = machine_readable({"report", "--format", "json"});
  if (!report.is_object()) return out;
  for (auto& result : report["results"]) {
    EXPECT_FALSE(result.contains("subjects")) << "more than one current verdict: " << result;
    out[result["layer"].get<std::string>() + " " + result["check"].get<std::string>()] = result["verdict"];
  }
  return out;
}

const std::map<std::string, std::string>& Scene::all_well() {
  static const std::map<std::string, std::string> results{{"pod c.pass", "pass"}, {"pod c.warn", "warn"}, {"pod c.once", "pass"},
                                                          {"box c.pass", "pass"}, {"box c.warn", "warn"}, {"box c.once", "pass"}};
  return results;
}

int Scene::times_reached(const std::string& failpoint) const {
  std::istringstream lines(read_file(program.path("reached")));
  int times = 0;
  for (std::string line; std::getline(lines, line);) times += line == failpoint;
  return times;
}

int Scene::starts() const {
  auto lines = read_file(once_file());
  return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
}

/// Processes may need a moment to go after their connection went.
void Scene::expect_no_traces(const std::string& text) {
  auto traces = [&] {
    auto lines = command_lines();
    return std::find_if(lines.begin(), lines.end(), [&](auto& line) { return has(line, text); }) != lines.end();
  };
  for (int i = 0; i < 200 && traces(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(traces()) << "a process with " << text << " is still there";
}

void Scene::expect_nothing_left() {
  program.environment.clear();
  auto reaped = program.run({"reap"});
  EXPECT_EQ(reaped.exit_code, 0) << reaped.out << reaped.err;
  auto all = program.run({"resources", "--all", "--json"});
  EXPECT_EQ(all.exit_code, 0) << "something is open: " << all.out << all.err;
  auto ever = json::parse(all.out, nullptr, false);
  ASSERT_TRUE(ever.is_array()) << all.out;
  for (auto& resource : ever) expect_no_traces("vt-pod." + resource["name"].get<std::string>());
  expect_no_traces(program.state());
  expect_no_traces(sshd->home());
  std::error_code none;
  for (auto& folder : fs::directory_iterator(program.state() + "/pods", none)) ADD_FAILURE() << "left behind: " << folder.path();
  EXPECT_FALSE(has(read_file("/proc/self/mounts"), program.state() + "/pods")) << "something is still mounted";
}

}  // namespace vt::test
