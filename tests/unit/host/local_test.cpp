#include "orchestrator/host/local_transport.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "orchestrator/host/child.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;

Deadline soon() { return Deadline::after(10s); }

/// Gone, or a zombie nobody has reaped yet.
bool is_dead(int pid) {
  auto stat = test::read_file("/proc/" + std::to_string(pid) + "/stat");
  auto at = stat.rfind(") ");
  return at == std::string::npos || stat[at + 2] == 'Z' || stat[at + 2] == 'X';
}

bool dies_soon(int pid) {
  for (int i = 0; i < 200 && !is_dead(pid); ++i) std::this_thread::sleep_for(10ms);
  return is_dead(pid);
}

int number_from(Stream& stream) {
  auto chunk = stream.read(soon());
  return chunk ? std::atoi(chunk->bytes.c_str()) : -1;
}

TEST(LocalTransport, GivesACleanEnvironment) {
  setenv("VT_TEST_TOKEN", "not for programs", 1);
  setenv("XDG_STATE_HOME", "/tmp/state", 1);
  auto transport = make_local_transport();
  auto result = exec(*transport, "env", "", soon());
  unsetenv("VT_TEST_TOKEN"), unsetenv("XDG_STATE_HOME");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out.find("VT_TEST_TOKEN"), std::string::npos);
  EXPECT_NE(result->out.find("XDG_STATE_HOME=/tmp/state\n"), std::string::npos);
  for (std::string name : {"PATH=", "HOME=", "USER="}) EXPECT_NE(result->out.find(name), std::string::npos) << name;
}

TEST(LocalTransport, NothingOfACommandOutlivesItsStream) {
  auto transport = make_local_transport();
  auto stream = transport->open("sleep 1000 & echo $!; wait", soon());
  ASSERT_TRUE(stream);
  int pid = number_from(**stream);
  ASSERT_GT(pid, 1);
  EXPECT_FALSE(is_dead(pid));
  stream->reset();
  EXPECT_TRUE(dies_soon(pid));
}

TEST(LocalTransport, ACommandOutlivesTheThreadThatStartedIt) {
  auto transport = make_local_transport();
  Result<std::unique_ptr<Stream>> stream = fail(Errc::internal, "not opened");
  std::thread([&] { stream = transport->open("read line; echo $line", soon()); }).join();
  ASSERT_TRUE(stream);
  std::this_thread::sleep_for(30ms);
  ASSERT_TRUE((*stream)->write("still here\n", soon()));
  EXPECT_EQ((*stream)->read(soon())->bytes, "still here\n");
}

TEST(LocalTransport, ACommandDiesWithTheProgramEvenBySigkill) {
  auto holder = Child::spawn({VT_BIN_DIR "/vt_hold_command"}, {"PATH=/usr/bin:/bin"});
  ASSERT_TRUE(holder) << holder.error().what;
  char text[32]{};
  pid_t pid = 0;
  for (int i = 0; i < 1000 && pid == 0; ++i) {
    std::this_thread::sleep_for(5ms);
    if (::read(holder->out.get(), text, sizeof text - 1) > 0) pid = std::atoi(text);
  }
  ASSERT_GT(pid, 1);
  EXPECT_FALSE(is_dead(pid));
  { Child killed = std::move(holder).take(); }  // SIGKILL to the holder's group; the command has one of its own
  EXPECT_TRUE(dies_soon(pid));
}

TEST(LocalTransport, WritingToACommandThatIsGoneRaisesNoSignal) {
  auto transport = make_local_transport();
  auto stream = transport->open("exec true", soon());
  ASSERT_TRUE(stream);
  ASSERT_TRUE((*stream)->exit_status(soon()));
  auto written = (*stream)->write(std::string(200'000, 'x'), soon());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::transport);
}

}  // namespace
}  // namespace vt
