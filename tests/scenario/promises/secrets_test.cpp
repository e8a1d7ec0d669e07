// P19: no secret leaves the place it is kept in: looked for in everything that is written, said or shown to other processes.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "promise.hpp"
#include "providers/base64.hpp"

using namespace vt::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string hex(const std::string& text) {
  std::string out;
  for (unsigned char c : text) out += "0123456789abcdef"[c >> 4], out += "0123456789abcdef"[c & 15];
  return out;
}

std::string url(const std::string& text) {
  std::string out;
  for (unsigned char c : text)
    if (std::isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~') out += static_cast<char>(c);
    else out += std::string("%") + "0123456789ABCDEF"[c >> 4] + "0123456789ABCDEF"[c & 15];
  return out;
}

/// Base64 of a text that something else precedes and follows: without the ends that its neighbours have a part in.
void add_base64(const std::string& text, std::set<std::string>& out) {
  for (std::size_t shift = 0; shift < 3; ++shift) {
    auto coded = vt::base64(std::string(shift, ' ') + text);
    if (coded.size() > 16) out.insert(coded.substr(4, coded.size() - 8));
  }
}

std::set<std::string> forms_of(const std::string& secret) {
  std::set<std::string> out{secret, hex(secret), url(secret), std::string(secret.rbegin(), secret.rend())};
  add_base64(secret, out);
  return out;
}

/// Command lines and environments of a process and all below it, as often as they can be read.
class Onlooker {
 public:
  explicit Onlooker(pid_t pid) : pid_(pid), thread_([this] { look(); }) {}
  ~Onlooker() { stop(); }
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::set<std::string> seen;  ///< to be read after stop()
  int looks = 0;

 private:
  void look() {
    for (; !stopped_; ++looks, std::this_thread::sleep_for(std::chrono::milliseconds(1))) look_at(pid_);
  }
  void look_at(pid_t pid) {
    auto folder = "/proc/" + std::to_string(pid);
    for (auto what : {"/cmdline", "/environ"}) seen.insert(read_file(folder + what));
    std::error_code ignored;
    for (auto& task : fs::directory_iterator(folder + "/task", ignored)) {
      std::ifstream children(task.path() / "children");
      for (pid_t child = 0; children >> child;) look_at(child);
    }
  }

  pid_t pid_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

/// Where secrets are kept, with mode 0600: the only files that may hold them.
bool is_own_place(const fs::path& file) {
  auto name = file.filename();
  return name == "account.json" || name == "service-account.json" || name == "ledger.key" || has(file, "/rehearsal/keys/");
}

class Secrets : public Promise {
 protected:
  Secrets() : Promise("P19") {}

  /// Name -> secret, of everything that a run with both clouds has. Keys are taken line by line, without what all keys begin with.
  std::map<std::string, std::string> secrets() {
    // The made-up tokens of the emulator all begin like real ones.
    std::map<std::string, std::string> out{{"plan secret", "rehearsal-PROMISE_SECRET"}, {"access token", "ya29."}};
    auto account = json::parse(read_file(rehearsal("account.json")), nullptr, false);
    EXPECT_TRUE(account.is_object());
    if (!account.is_object()) return out;
    out["RunPod key"] = account["runpod_key"];
    add_key("service account", account["private_key"], out);
    for (auto& file : fs::recursive_directory_iterator(rehearsal("keys")))
      if (file.is_regular_file() && has(read_file(file.path()), "PRIVATE KEY"))
        add_key(file.path().filename(), read_file(file.path()), out);
    auto key = read_file(rehearsal("ledger.key"));
    out["key of the installation"] = key;
    return out;
  }
  [[nodiscard]] std::string rehearsal(const std::string& file) const { return program->state() + "/rehearsal/" + file; }
  static void add_key(const std::string& name, const std::string& pem, std::map<std::string, std::string>& out) {
    std::istringstream lines(pem);
    int n = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.size() > 40 && !has(line, "-----") && ++n > 2) out[name + " " + std::to_string(n)] = line;
  }

  /// Place -> everything that was said or written there.
  std::map<std::string, std::string> places() {
    std::map<std::string, std::string> out;
    for (auto format : {"text", "json", "junit", "markdown"}) {
      auto report = program->run({"report", "--format", format});
      out[std::string("report ") + format] = report.out + report.err;
    }
    for (auto& command : std::vector<std::vector<std::string>>{
             {"status"}, {"why", "p.secret"}, {"cost", "--rehearse"}, {"resources", "--all", "--json", "--rehearse"}}) {
      auto ended = program->run(command);
      out[command[0]] = ended.out + ended.err;
    }
    for (auto& file : fs::recursive_directory_iterator(program->state()))
      if (file.is_regular_file() && !is_own_place(file.path())) out[file.path()] = read_file(file.path());
    return out;
  }

  int search(const std::map<std::string, std::string>& places) {
    int hits = 0;
    for (auto& [name, secret] : secrets_)
      for (auto& form : forms_of(secret))
        for (auto& [where, text] : places)
          if (has(text, form)) ++hits, ADD_FAILURE() << name << " in " << where;
    return hits;
  }

  std::map<std::string, std::string> secrets_;
};

TEST_F(Secrets, AreNowhereButInTheirOwnFiles) {
  begin({"auto", "", 0});
  auto plan = plan_of({layer("gcp", 1, "p.secret"), layer("runpod", 1, "p.secret")}, "secrets: [PROMISE_SECRET]\n");
  Onlooker onlooker(start({"run", plan, "--json", "--keep"}));
  auto ended = program->wait(60);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  onlooker.stop();
  secrets_ = secrets();
  EXPECT_GT(secrets_.size(), 8U) << "not all secrets were found";
  auto where = places();
  where["output"] = ended.out + ended.err;
  for (auto& seen : onlooker.seen) where["processes"] += seen + "\n";
  for (auto& row : rows()) where["release"] += vault({"release", row["name"]}).out;
  count("hits", search(where));
  count("secrets", static_cast<int>(secrets_.size())), count("places", static_cast<int>(where.size()));
  count("looks_at_processes", onlooker.looks);
  expect_kept(1);
}

}  // namespace
