// The start command of a pod, run for real: under several shells, against a stand-in for RunPod's API.
#include "providers/runpod/bootstrap.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <sstream>

#include "orchestrator/host/transport.hpp"
#include "providers/base64.hpp"
#include "providers/ssh_keys.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/host/sockets.hpp"
#include "tests/unit/http/web_server.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::read_file;
using test::TempDir;
using test::write_file;

std::string in_path(const std::string& name) {
  for (std::string folder : {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"})
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return "";
}

/// The unit inside "sh -c '…'".
std::string script() {
  auto command = runpod::start_command();
  return command.substr(7, command.size() - 8);
}

TEST(RunPodStartCommand, IsOneWordForTheShell) {
  auto command = runpod::start_command();
  EXPECT_TRUE(command.starts_with("sh -c '"));
  EXPECT_TRUE(command.ends_with("'"));
  EXPECT_EQ(script().find('\''), std::string::npos);
  EXPECT_LT(command.size(), 6000U);
  std::istringstream lines(script());
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(!line.empty() && line[0] != '#' && line[0] != ' ') << line;
}

/// A pod without a container: the start command in a folder of its own, with time running faster, and an API that it can end itself
/// with. The parameter is the shell.
class RunPodBootstrap : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto shell = in_path(GetParam());
    if (shell.empty()) GTEST_SKIP() << "no " << GetParam() << " on this machine";
    if (in_path("curl").empty()) GTEST_SKIP() << "no curl on this machine";
    for (auto name : {"tools", "dir"}) std::filesystem::create_directory(folder_ / name);
    tool("sleep", "exec " + in_path("sleep") + " 0.02");
    tool("curl", "echo \"$*\" >>" + folder_ / "curl.log" + "\nexec " + in_path("curl") + " \"$@\"");
    tool("sshd", "env >" + folder_ / "sshd.env" + "\necho \"$*\" >" + folder_ / "sshd.args" + "\nexec " + in_path("sleep") + " 60");
    std::filesystem::create_symlink(shell, folder_ / "tools/sh");
    environment_ = {{"PATH", folder_ / "tools:/usr/bin:/bin"},
                    {"VT_DIR", folder_ / "dir"},
                    {"VT_SSHD", folder_ / "tools/sshd"},
                    {"VT_TICK", "1"},
                    {"VT_EXPIRES", std::to_string(time(nullptr) + 3600)},
                    {"RUNPOD_POD_ID", "pod1"},
                    {"RUNPOD_API_KEY", "canary-key"},
                    {"VT_HOST_KEY", base64("canary-host-key\n")},
                    {"VT_CLIENT_KEY", "ssh-ed25519 AAAA me"}};
    route();
  }
  ~RunPodBootstrap() override {
    if (pid_ <= 0) return;
    for (auto pid : all_of_it()) kill(pid, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void tool(const std::string& name, const std::string& text) {
    write_file(folder_ / ("tools/" + name), "#!/bin/sh\n" + text + "\n", 0700);
  }

  void route() {
    auto answer = [this](const std::string& call, const httplib::Request& request, httplib::Response& reply) {
      std::lock_guard lock(mutex_);
      calls_.push_back(call + request.body);
      authorised_ = authorised_ && request.get_header_value("Authorization") == "Bearer canary-key" && request.has_header("User-Agent");
      reply.status = status_[call];
    };
    status_ = {{"GET", 200}, {"DELETE", 204}, {"POST", 204}};
    web_.server.Get("/v2/pods/pod1", [answer](auto& q, auto& r) { answer("GET", q, r); });
    web_.server.Delete("/v2/pods/pod1", [answer](auto& q, auto& r) { answer("DELETE", q, r); });
    web_.server.Post("/v2/pods/pod1/action", [answer](auto& q, auto& r) { answer("POST", q, r); });
    web_.start();
    environment_["VT_API"] = web_.url("/v2");
  }
  void start() {
    std::vector<std::string> variables;
    for (auto& [name, value] : environment_) variables.push_back(name + "=" + value);
    std::vector<char*> pointers;
    for (auto& v : variables) pointers.push_back(v.data());
    pointers.push_back(nullptr);
    auto text = script(), shell = in_path(GetParam());
    pid_ = fork();
    if (pid_ != 0) return;
    auto log = (folder_ / "log");
    if (!freopen(log.c_str(), "w", stdout) || !freopen(log.c_str(), "a", stderr)) _exit(126);
    execle(shell.c_str(), GetParam().c_str(), "-c", text.c_str(), nullptr, pointers.data());
    _exit(127);
  }
  /// Whatever has this test's folder in its environment; the watchdog has a session of its own.
  [[nodiscard]] std::vector<pid_t> all_of_it() const {
    std::vector<pid_t> out{pid_};
    for (auto& entry : std::filesystem::directory_iterator("/proc")) {
      auto pid = std::atoi(entry.path().filename().c_str());
      if (pid > 0 && read_file(entry.path().string() + "/environ").find("VT_DIR=" + folder_ / "dir") != std::string::npos)
        out.push_back(pid);
    }
    return out;
  }
  int count(const std::string& call) {
    std::lock_guard lock(mutex_);
    return static_cast<int>(std::count(calls_.begin(), calls_.end(), call));
  }
  static bool until(const std::function<bool()>& condition, Duration patience = 20s) {
    auto deadline = Deadline::after(patience);
    while (!condition() && !deadline.passed()) std::this_thread::sleep_for(5ms);
    return condition();
  }
  std::string proof() { return read_file(folder_ / "dir/lease-proof"); }

  TempDir folder_;
  std::map<std::string, std::string> environment_;
  std::mutex mutex_;
  std::vector<std::string> calls_;
  std::map<std::string, int> status_;
  bool authorised_ = true;
  test::WebServer web_;
  pid_t pid_ = -1;
};

TEST_P(RunPodBootstrap, TheServerRunsWithOurKeysAndNobodyElses) {
  start();
  ASSERT_TRUE(until([&] { return !read_file(folder_ / "sshd.args").empty(); })) << read_file(folder_ / "log");
  EXPECT_EQ(read_file(folder_ / "sshd.args"), "-D -e -f " + folder_ / "dir/sshd_config" + "\n");
  EXPECT_EQ(read_file(folder_ / "dir/host_key"), "canary-host-key\n");
  EXPECT_EQ(read_file(folder_ / "dir/authorized_keys"), "ssh-ed25519 AAAA me\n");
  auto env = read_file(folder_ / "sshd.env");
  EXPECT_EQ(env.find("VT_HOST_KEY"), std::string::npos);
  EXPECT_EQ(env.find("canary-key"), std::string::npos);
  auto settings = read_file(folder_ / "dir/sshd_config");
  for (auto line : {"Port 22\n", "HostKeyAlgorithms ssh-ed25519\n", "AuthenticationMethods publickey\n", "PasswordAuthentication no\n"})
    EXPECT_NE(settings.find(line), std::string::npos) << line;
  EXPECT_NE(settings.find("SetEnv VT_DIR=" + folder_ / "dir" + " PATH=" + folder_ / "tools:/usr/bin:/bin:"), std::string::npos) << settings;
}

TEST_P(RunPodBootstrap, ItProvesThatItsKeyReadsItsPod) {
  start();
  ASSERT_TRUE(until([&] { return proof().starts_with("proved 20"); })) << proof() << read_file(folder_ / "log");
  EXPECT_EQ(count("DELETE"), 0);
  EXPECT_TRUE(authorised_);
  auto log = read_file(folder_ / "curl.log");
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(log.find("canary-key"), std::string::npos) << "never among the arguments";
}

TEST_P(RunPodBootstrap, AFailedProofSaysWhyAndIsTriedAgain) {
  status_["GET"] = 403;
  start();
  ASSERT_TRUE(until([&] { return count("GET") >= 2; }));
  EXPECT_EQ(proof(), "failed: asked about itself with its own key, the pod gets HTTP status 403\n");
  std::unique_lock lock(mutex_);
  status_["GET"] = 200;
  lock.unlock();
  EXPECT_TRUE(until([&] { return proof().starts_with("proved"); }));
}

TEST_P(RunPodBootstrap, ItEndsItselfWhenTheLeaseIsOver) {
  environment_["VT_EXPIRES"] = std::to_string(time(nullptr) + 2);
  start();
  ASSERT_TRUE(until([&] { return count("DELETE") > 0; })) << read_file(folder_ / "log");
  EXPECT_GE(time(nullptr), std::stol(environment_["VT_EXPIRES"]) - 1) << "whole seconds of /proc/uptime";
  EXPECT_NE(read_file(folder_ / "log").find("lease: the lease is over; this pod ends itself"), std::string::npos);
  EXPECT_TRUE(authorised_);
}

TEST_P(RunPodBootstrap, AClockThatIsBehindDoesNotProlongTheLease) {
  tool("date", "case $1 in +%s) echo 1000000000;; *) exec " + in_path("date") + " \"$@\";; esac");
  environment_["VT_LEASE"] = "1";
  start();
  EXPECT_TRUE(until([&] { return count("DELETE") > 0; })) << read_file(folder_ / "log");
}

TEST_P(RunPodBootstrap, WithoutAnEndItEndsAtOnce) {
  environment_["VT_EXPIRES"] = "some day";
  start();
  EXPECT_TRUE(until([&] { return count("DELETE") > 0; })) << read_file(folder_ / "log");
}

TEST_P(RunPodBootstrap, ItEndsItselfIfNobodyComes) {
  environment_["VT_BOOT_GRACE"] = "1";
  start();
  ASSERT_TRUE(until([&] { return count("DELETE") > 0; })) << read_file(folder_ / "log");
  EXPECT_NE(read_file(folder_ / "log").find("lease: nobody came for 1 s"), std::string::npos);
}

TEST_P(RunPodBootstrap, ItStaysIfSomebodyCame) {
  environment_["VT_BOOT_GRACE"] = "1";
  start();
  ASSERT_TRUE(until([&] { return proof().starts_with("proved"); }));
  write_file(folder_ / "dir/contact", "");
  EXPECT_FALSE(until([&] { return count("DELETE") > 0; }, 1500ms));
}

TEST_P(RunPodBootstrap, ItGoesOnUntilOneOfThreeWaysWorks) {
  environment_["VT_EXPIRES"] = "1";
  status_["DELETE"] = 500, status_["POST"] = 500;
  start();
  ASSERT_TRUE(until([&] { return count("POST{\"action\":\"stop\"}") >= 2; })) << read_file(folder_ / "log");
  EXPECT_GE(count("DELETE"), 2);
  EXPECT_GE(count("POST{\"action\":\"terminate\"}"), 2);
  std::unique_lock lock(mutex_);
  status_["DELETE"] = 204;
  calls_.clear();
  lock.unlock();
  ASSERT_TRUE(until([&] { return count("DELETE") >= 3; })) << "until it is dead";
  EXPECT_LE(count("POST{\"action\":\"stop\"}"), 1) << "one may have been on its way";
}

TEST_P(RunPodBootstrap, WhatIsMissingIsInstalled) {
  std::filesystem::remove(folder_ / "tools/curl");
  for (auto name : {"mkdir", "rm", "mv", "cat", "date", "base64", "env", "setsid", "touch", "ln"})
    if (auto path = in_path(name); !path.empty()) std::filesystem::create_symlink(path, folder_ / ("tools/" + std::string(name)));
  environment_["PATH"] = folder_ / "tools";
  // The first time it fails, as a mirror does that is being updated.
  tool("apt-get", "echo \"$*\" >>" + folder_ / "apt.log" + "\ncase $* in *install*) ;; *) exit 0 ;; esac\n[ -e " + folder_ / "again" +
                      " ] || { touch " + folder_ / "again" + "; exit 100; }\nln -s " + in_path("curl") + " " + folder_ / "tools/curl");
  start();
  ASSERT_TRUE(until([&] { return !read_file(folder_ / "sshd.args").empty(); })) << read_file(folder_ / "log");
  EXPECT_NE(read_file(folder_ / "apt.log").find("install openssh-server curl ca-certificates"), std::string::npos);
  EXPECT_TRUE(until([&] { return proof().starts_with("proved"); })) << "as soon as there is a curl";
}

TEST_P(RunPodBootstrap, ARealServerLetsUsIn) {
  auto sshd = in_path("sshd");
  if (sshd.empty() || geteuid() != 0) GTEST_SKIP() << "needs an SSH server and root";
  auto host_key = new_ssh_key("host"), client_key = new_ssh_key("client");
  ASSERT_TRUE(host_key && client_key);
  write_file(folder_ / "client", client_key->private_text);
  Host host;
  host.access.address = "127.0.0.1", host.access.user = "root", host.access.identity = folder_ / "client";
  host.access.host_key = host_key->fingerprint;
  host.access.port = test::Listener().port();  // free again by then
  environment_["VT_SSHD"] = sshd, environment_["VT_SSH_PORT"] = std::to_string(host.access.port);
  environment_["VT_HOST_KEY"] = base64(host_key->private_text), environment_["VT_CLIENT_KEY"] = client_key->public_line;
  environment_["LD_LIBRARY_PATH"] = "/usr/local/nvidia/lib64", environment_["CUDA_VERSION"] = "12.8.0; id";
  start();
  std::unique_ptr<Transport> transport;
  std::string why;
  ASSERT_TRUE(until([&] {
    auto connected = connect(host, Deadline::after(5s));
    if (connected) transport = std::move(connected).take();
    else why = connected.error().what;
    return transport != nullptr;
  })) << why
      << read_file(folder_ / "log");
  auto result = exec(*transport, "echo \"$VT_DIR|$LD_LIBRARY_PATH|$CUDA_VERSION|$RUNPOD_API_KEY|$(umask)\"", "", Deadline::after(10s));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out, folder_ / "dir" + "|/usr/local/nvidia/lib64|||0022\n");
}

INSTANTIATE_TEST_SUITE_P(Shell, RunPodBootstrap, testing::Values("bash", "dash"), [](auto& shell) { return shell.param; });

}  // namespace
}  // namespace vt
