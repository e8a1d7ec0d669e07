#include "orchestrator/host/tcp.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/host/sockets.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Listener;
using test::send_text;

Deadline in(Duration d) { return Deadline::after(d); }

TEST(ConnectTcp, AnUnknownNameIsANameError) {
  auto socket = connect_tcp("no-such-host.invalid", 22, in(5s));
  ASSERT_FALSE(socket);
  EXPECT_TRUE(socket.error().what.starts_with("name: no address for 'no-such-host.invalid'")) << socket.error().what;
}

TEST(ConnectTcp, ARefusedPortIsATcpError) {
  Listener listener;
  listener.close();
  auto socket = connect_tcp("127.0.0.1", listener.port(), in(5s));
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, Errc::transport);
  EXPECT_EQ(socket.error().what,
            "TCP: 127.0.0.1:" + std::to_string(listener.port()) + " refused the connection; is an SSH server running on that port?");
}

TEST(ConnectTcp, ABlackHoleEndsAtTheDeadline) {
  Listener listener(0);
  listener.fill_queue();
  auto begin = std::chrono::steady_clock::now();
  auto socket = connect_tcp("127.0.0.1", listener.port(), in(300ms));
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, Errc::timeout);
  EXPECT_TRUE(socket.error().what.starts_with("TCP: no answer from 127.0.0.1:")) << socket.error().what;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1300ms);
}

TEST(ConnectTcp, TriesEveryAddressOfAName) {
  Listener listener;  // on 127.0.0.1 only, whatever else "localhost" means here
  auto socket = connect_tcp("localhost", listener.port(), in(5s));
  EXPECT_TRUE(socket) << socket.error().what;
}

class Banner : public testing::Test {
 protected:
  /// The error after the server sent `text` and stayed, or closed.
  Error error_after(const std::string& text, bool close = false) {
    auto client = connect_tcp("127.0.0.1", listener_.port(), in(5s));
    auto server = listener_.accept_one();
    send_text(server, text);
    if (close) server.reset();
    auto begin = std::chrono::steady_clock::now();
    auto status = expect_ssh_banner(client->get(), in(150ms));
    took_ = std::chrono::steady_clock::now() - begin;
    return status ? Error{Errc::internal, "no error"} : status.error();
  }
  Listener listener_;
  std::chrono::steady_clock::duration took_{};
};

TEST_F(Banner, ASilentServerIsATimeout) {
  auto error = error_after("");
  EXPECT_EQ(error.code, Errc::timeout);
  EXPECT_TRUE(error.what.starts_with("banner: the server accepted the connection but sent no SSH greeting")) << error.what;
}

TEST_F(Banner, BinaryGarbageIsRefusedAtOnce) {
  auto error = error_after(std::string("\x00\x01\x16\x03garbage", 11));
  EXPECT_EQ(error.code, Errc::refused);
  EXPECT_TRUE(error.what.starts_with("banner: not an SSH server")) << error.what;
  EXPECT_LT(took_, 100ms);
}

TEST_F(Banner, AnotherProtocolIsNamedByItsFirstLine) {
  EXPECT_NE(error_after("220 mail.example ESMTP\r\n").what.find("'220 mail.example ESMTP'"), std::string::npos);
}

TEST_F(Banner, AnEndlessBannerIsRefused) { EXPECT_EQ(error_after(std::string(20'000, 'a')).code, Errc::refused); }

TEST_F(Banner, AnEarlyCloseMayPass) {
  auto error = error_after("Exceeded MaxStartups\r\n", true);
  EXPECT_TRUE(error.retryable());
  EXPECT_NE(error.what.find("Exceeded MaxStartups"), std::string::npos) << error.what;
}

TEST_F(Banner, TextBeforeTheGreetingIsAllowedAndNothingIsTakenOffTheSocket) {
  auto client = connect_tcp("127.0.0.1", listener_.port(), in(5s));
  auto server = listener_.accept_one();
  send_text(server, "welcome\r\nSSH-2.0-");
  std::thread rest([&] {
    std::this_thread::sleep_for(20ms);
    send_text(server, "Test\r\n");
  });
  EXPECT_TRUE(expect_ssh_banner(client->get(), in(5s)));
  rest.join();
  char buffer[64];
  auto n = recv(client->get(), buffer, sizeof buffer, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0))), "welcome\r\nSSH-2.0-Test\r\n");
}

}  // namespace
}  // namespace vt
