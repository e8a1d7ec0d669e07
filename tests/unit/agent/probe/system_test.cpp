#include "remote-agent/probe/system.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "remote-agent/probe/child.hpp"
#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

using std::chrono::milliseconds;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A Unix socket that gives one fixed reply to one connection; with no reply it stays silent until it ends.
class OneReply {
 public:
  OneReply(const std::string& path, std::string reply) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    if (!reply.empty()) server_ = std::thread([this, reply] { serve(reply); });
  }
  ~OneReply() {
    if (server_.joinable()) server_.join();
    ::close(fd_);
  }
  std::string request;

 private:
  void serve(const std::string& reply) {
    int peer = ::accept(fd_, nullptr, nullptr);
    char buffer[1024];
    auto n = ::read(peer, buffer, sizeof buffer);
    request.assign(buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    say(peer, reply);
    ::close(peer);
  }
  int fd_;
  std::thread server_;
};

TEST(ProbeChild, GivesWhatWasWritten) {
  auto said = in_child([](int out) { say(out, std::string(100'000, 'x')); }, milliseconds{5000});
  EXPECT_TRUE(said.finished);
  EXPECT_EQ(said.text, std::string(100'000, 'x'));
}

TEST(ProbeChild, IsKilledWhenItsTimeIsUpAndWhatItSaidIsKept) {
  auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  auto said = in_child(
      [](int out) {
        say(out, std::to_string(::getpid()));
        ::pause();
      },
      milliseconds{50});
  EXPECT_FALSE(said.finished);
  EXPECT_LT(seconds_since(start), 2.0);
  child = std::stoi(said.text);
  EXPECT_NE(::kill(child, 0), 0);
}

TEST(ProbeChild, ACrashIsOnlyAnEnd) {
  auto said = in_child([](int) { ::raise(SIGKILL); }, milliseconds{5000});
  EXPECT_TRUE(said.finished);
  EXPECT_EQ(said.text, "");
}

TEST(ProbeChild, CannotSpeakOnTheStandardStreams) {
  auto said = in_child(
      [](int out) {
        struct stat a {
        }, b{};
        bool null = ::fstat(1, &a) == 0 && ::stat("/dev/null", &b) == 0 && a.st_rdev == b.st_rdev;
        say(out, null ? "null" : "open");
      },
      milliseconds{5000});
  EXPECT_EQ(said.text, "null");
}

TEST(ProbeChild, WithoutTimeNothingIsStarted) {
  EXPECT_FALSE(in_child([](int out) { say(out, "x"); }, milliseconds{0}).finished);
}

TEST(ProbeHttp, ReadsStatusAndBody) {
  TempTree tree;
  OneReply server(tree.root() + "/s", "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nOK");
  auto reply = real_system().http(tree.root() + "/s", "/_ping", milliseconds{5000});
  EXPECT_EQ(reply.error, 0);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "OK");
}

TEST(ProbeHttp, NoSocketNobodyThereNonsenseAndSilence) {
  TempTree tree;
  auto http = real_system().http;
  EXPECT_EQ(http(tree.root() + "/none", "/", milliseconds{1000}).error, ENOENT);
  EXPECT_EQ(http(std::string(200, 'x'), "/", milliseconds{1000}).error, ENAMETOOLONG);
  { OneReply gone(tree.root() + "/gone", ""); }
  EXPECT_EQ(http(tree.root() + "/gone", "/", milliseconds{1000}).error, ECONNREFUSED);
  OneReply nonsense(tree.root() + "/nonsense", "hello\r\n\r\n");
  EXPECT_EQ(http(tree.root() + "/nonsense", "/", milliseconds{5000}).error, EPROTO);
  OneReply silent(tree.root() + "/silent", "");
  EXPECT_EQ(http(tree.root() + "/silent", "/", milliseconds{30}).error, ETIMEDOUT);
}

TEST(ProbeConnect, TellsWhetherSomebodyListens) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  auto port = std::to_string(ntohs(address.sin_port));
  auto connect = real_system().connect;
  EXPECT_EQ(connect("127.0.0.1", port, milliseconds{5000}), "Connection refused");  // bound, not yet listening
  ASSERT_EQ(::listen(fd, 1), 0);
  EXPECT_EQ(connect("127.0.0.1", port, milliseconds{5000}), "");
  ::close(fd);
}

TEST(ProbeKernelRecord, OnlyTheKernelLogCounts) {
  TempTree tree;
  auto read = real_system().kernel_record;
  EXPECT_EQ(read(tree.root() + "/none"), ENOENT);
  EXPECT_EQ(read("/dev/null"), ENODEV);
}

TEST(ProbeKvm, ANodeThatIsNoneHasNoApi) {
  EXPECT_EQ(real_system().kvm("/dev/null").api, -1);
  EXPECT_EQ(real_system().kvm("/no/such/node").error, ENOENT);
}

TEST(ProbeSudo, StatusComesFromTheProgramOnPath) {
  Scene scene;  // a place for a sudo of our own
  auto before = std::string(::getenv("PATH"));
  auto fake = [&](const std::string& body, milliseconds limit = milliseconds{5000}) {
    scene.program("/bin/sudo").file("/bin/sudo", "#!/bin/sh\n" + body);
    ::setenv("PATH", (scene.tree().root() + "/bin:" + before).c_str(), 1);
    return real_system().sudo(limit);
  };
  EXPECT_EQ(fake("[ \"$1 $2\" = '-n true' ]"), std::optional<int>(0));
  EXPECT_EQ(fake("exit 1"), std::optional<int>(1));
  EXPECT_EQ(fake("kill -9 $$"), std::nullopt);
  EXPECT_EQ(fake("exec sleep 60", milliseconds{100}), std::nullopt);
  ::setenv("PATH", before.c_str(), 1);
}

TEST(ProbeNamespaces, LeaveThisProcessWhereItIs) {
  Files files("");
  auto user = files.link("/proc/self/ns/user").text, mount = files.link("/proc/self/ns/mnt").text;
  auto mounts = files.read("/proc/self/mountinfo").text;
  EXPECT_NE(real_system().namespaces(milliseconds{5000}), ETIMEDOUT);
  EXPECT_EQ(files.link("/proc/self/ns/user").text, user);
  EXPECT_EQ(files.link("/proc/self/ns/mnt").text, mount);
  EXPECT_EQ(files.read("/proc/self/mountinfo").text, mounts);
}

TEST(ProbeFiles, TellAbsentFromUnreadable) {
  Scene scene;
  scene.file("/a/b", "text \n\n").deny("/a/loop");
  Files files(scene.tree().root());
  EXPECT_EQ(files.read("/a/b").text, "text");
  EXPECT_TRUE(absent(files.read("/a/none").error));
  EXPECT_TRUE(absent(files.read("/a/b/c").error));
  EXPECT_FALSE(absent(files.read("/a/loop").error));
  EXPECT_FALSE(absent(files.list("/a/loop").error));
  EXPECT_EQ(files.list("/a").names, (std::vector<std::string>{"b", "loop"}));
}

TEST(ProbeFiles, APipeDoesNotHang) {
  Scene scene;
  ASSERT_EQ(::mkfifo((scene.tree().root() + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Files(scene.tree().root()).read("/pipe").text, "");
}

TEST(ProbeTools, FollowPathAndNeedAnExecutableFile) {
  Scene scene;
  scene.program("/usr/sbin/fio").file("/usr/bin/git", "not executable").folder("/usr/bin/df");
  EXPECT_EQ(tool(scene.host(), "fio").evidence, "/usr/sbin/fio");
  EXPECT_EQ(tool(scene.host(), "git").value, "false");
  EXPECT_EQ(tool(scene.host(), "df").value, "false");
  scene.deny("/usr/bin/fio");
  EXPECT_EQ(tool(scene.host(), "fio").value, "true");  // another folder has it
  scene.deny("/usr/bin/ip");
  EXPECT_EQ(tool(scene.host(), "ip").value, "");
  scene.options.path = "";
  EXPECT_EQ(tool(scene.host(), "ip").evidence, "PATH is not set");
}

TEST(ProbeHost, HasNoTimeLeftWhenTheBudgetIsSpent) {
  auto host = Scene().host();
  host.until = std::chrono::steady_clock::now() - milliseconds{1};
  EXPECT_EQ(host.limit(), milliseconds{0});
  host.until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  EXPECT_EQ(host.limit(), milliseconds{400});
}

}  // namespace
}  // namespace vt::probe
