#include "emulated.hpp"

#include <fcntl.h>
#include <httplib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/support/temp_dir.hpp"

namespace vt::test {

using nlohmann::json;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 30s, kEndTime = 30s;

std::vector<std::string> command(const std::string& folder, const EmulatorOptions& options) {
  std::vector<std::string> words{
      VT_BIN_DIR "/vault-emulator", "--folder",        folder,       "--pace", kPace, "--hosts", options.hosts, "--seed",
      std::to_string(options.seed), "--strict-tokens", "--until-eof"};
  if (options.faults.empty()) return words;
  std::string plan = options.faults;
  if (plan != "random") write_file(plan = folder + ".faults", options.faults);
  words.insert(words.end(), {"--faults", plan});
  return words;
}

/// In the child: reads `in`, says what it has to say into `out`.
[[noreturn]] void become(const std::vector<std::string>& words, int in, const std::string& out) {
  dup2(in, STDIN_FILENO);
  int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDOUT_FILENO), dup2(file, STDERR_FILENO);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string after(const std::string& text, const std::string& mark) {
  auto at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
}

}  // namespace

Status Emulated::start(const std::string& folder, const EmulatorOptions& options) {
  stop();
  std::filesystem::create_directories(folder);
  auto words = command(folder, options);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::internal, "no pipe");
  pid_ = fork();
  if (pid_ == 0) become(words, ends[0], folder + ".out");
  close(ends[0]);
  stdin_ = ends[1];
  for (auto until = std::chrono::steady_clock::now() + kStartTime; std::chrono::steady_clock::now() < until;) {
    auto said = read_file(folder + ".out");
    faults_ = after(said, "faults: ");
    if (said.find("faults: ") != std::string::npos && said.ends_with("\n")) return address_ = said.substr(0, said.find('\n')), Status{};
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) return pid_ = -1, fail(Errc::internal, "no emulator: " + said);
    std::this_thread::sleep_for(10ms);
  }
  return fail(Errc::timeout, "the emulator does not start");
}

void Emulated::stop() {
  if (stdin_ >= 0) close(stdin_);
  stdin_ = -1;
  if (pid_ <= 0) return;
  for (auto until = std::chrono::steady_clock::now() + kEndTime; waitpid(pid_, nullptr, WNOHANG) == 0;) {
    if (std::chrono::steady_clock::now() > until) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
  pid_ = -1;
}

json Emulated::get(const std::string& what) const {
  httplib::Client client(address_);
  for (int attempt = 0; attempt < 100; ++attempt) {  // a fault may keep it from answering for a moment
    if (auto reply = client.Get("/emulator/" + what); reply && reply->status == 200) return json::parse(reply->body, nullptr, false);
    std::this_thread::sleep_for(50ms);
  }
  return {};
}

json Emulated::things() const { return get("books").value("things", json()); }
json Emulated::requests() const { return get("requests").value("requests", json()); }

json Emulated::post(const std::string& what, const json& body) const {
  httplib::Client client(address_);
  auto reply = client.Post("/emulator/" + what, body.dump(), "application/json");
  return reply && reply->status / 100 == 2 ? json::parse(reply->body, nullptr, false) : json();
}

int Emulated::end_all(const std::string& how) const {
  int ended = 0;
  for (auto& thing : things())
    if (thing["gone"] == 0 && thing["foreign"] == false && (thing["kind"] == "instance" || thing["kind"] == "pod"))
      ended += post(how, {{"id", thing["id"]}}).is_object();
  return ended;
}

}  // namespace vt::test
