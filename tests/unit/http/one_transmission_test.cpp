// One request = one transmission, and `sent` is true: against a server that is played byte by byte.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "orchestrator/host/tcp.hpp"
#include "providers/http/http.hpp"
#include "tests/unit/host/sockets.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Listener;
using test::send_text;

constexpr auto kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The head of one request with its body, if that is "{}"; empty at the end of the connection.
std::string read_request(const Fd& client) {
  std::string text;
  char byte = 0;
  auto complete = [&] { return text.ends_with(text.starts_with("GET") ? "\r\n\r\n" : "\r\n\r\n{}"); };
  while (!complete() && recv(client.get(), &byte, 1, 0) == 1) text += byte;
  return complete() ? text : "";
}

/// Plays `serve` on every connection, each in a thread of its own.
class RawServer {
 public:
  explicit RawServer(std::function<void(const Fd&)> serve) : serve_(std::move(serve)), acceptor_([this] { accept_all(); }) {}
  ~RawServer() {
    stop_ = true;
    (void)connect_tcp("127.0.0.1", port(), Deadline::after(5s));  // wakes accept
    acceptor_.join();
    for (auto& connection : connections_) connection.join();
  }
  [[nodiscard]] int port() const { return listener_.port(); }

 private:
  void accept_all() {
    while (true) {
      auto client = std::make_shared<Fd>(listener_.accept_one());
      if (stop_) return;
      connections_.emplace_back([this, client] { serve_(*client); });
    }
  }
  Listener listener_;
  std::atomic<bool> stop_{false};
  std::function<void(const Fd&)> serve_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

HttpResult send(Http& http, const std::string& method, const RawServer& server, Duration timeout = 5s) {
  HttpRequest r;
  r.method = method;
  r.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/pods";
  if (method == "POST") r.content_type = "application/json", r.body = "{}";
  r.timeout = timeout;
  return http.send(r);
}

std::unique_ptr<Http> client() { return make_http({HttpRules::Reach::loopback, "vault-test/test", ""}); }

/// Answers the first request of every connection; counts and drops the second, as a server does whose idle time is over.
struct DyingConnections {
  std::atomic<int> requests{0}, connections{0};
  void serve(const Fd& client) {
    ++connections;
    if (read_request(client).empty()) return;
    ++requests;
    send_text(client, kOk);
    if (!read_request(client).empty()) ++requests;
  }
};

TEST(OneTransmission, AReadIsRepeatedWhenAReusedConnectionDies) {
  DyingConnections dying;
  {
    RawServer server([&](const Fd& c) { dying.serve(c); });
    auto http = client();
    ASSERT_TRUE(send(*http, "GET", server));
    EXPECT_TRUE(send(*http, "GET", server)) << "libcurl asks again by itself: what this file is about does happen";
    http.reset();
  }
  EXPECT_EQ(dying.connections, 2);
  EXPECT_EQ(dying.requests, 3);
}

TEST(OneTransmission, APostNeverMeetsAReusedConnection) {
  DyingConnections dying;
  {
    RawServer server([&](const Fd& c) { dying.serve(c); });
    auto http = client();
    for (auto method : {"GET", "POST", "POST"}) EXPECT_TRUE(send(*http, method, server)) << method;
    http.reset();
  }
  EXPECT_EQ(dying.connections, 3);
  EXPECT_EQ(dying.requests, 3);
}

TEST(OneTransmission, APostThatWasTakenAndNotAnsweredArrivesOnce) {
  std::atomic<int> posts{0};
  auto http = client();
  {
    RawServer server([&](const Fd& c) {
      for (auto text = read_request(c); !text.empty(); text = read_request(c)) {
        if (text.starts_with("POST")) {
          ++posts;
          return;
        }
        send_text(c, kOk);
      }
    });
    ASSERT_TRUE(send(*http, "GET", server));
    auto reply = send(*http, "POST", server);
    ASSERT_FALSE(reply);
    EXPECT_TRUE(reply.error().sent);
    EXPECT_FALSE(reply.error().refused_by_us);
    http.reset();
  }
  EXPECT_EQ(posts, 1);
}

/// What becomes of a POST that is answered with these bytes, after which the connection ends.
HttpResult answered_with(const std::string& bytes) {
  RawServer server([&](const Fd& c) {
    read_request(c);
    send_text(c, bytes);
  });
  return send(*client(), "POST", server);
}

TEST(OneTransmission, HalfARreplyIsNone) {
  for (std::string bytes :
       {"HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 201 Cre", "HTTP/1.1 201 Created\r\nContent-Le",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nha", "no HTTP at all\r\n\r\n", ""}) {
    auto reply = answered_with(bytes);
    ASSERT_FALSE(reply) << bytes;
    EXPECT_TRUE(reply.error().sent) << bytes;
  }
}

TEST(OneTransmission, AnEndlessHeadIsNone) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 3000; ++i) head += "X-Line-" + std::to_string(i) + ": " + std::string(30, 'x') + "\r\n";
  auto reply = answered_with(head + "Content-Length: 0\r\n\r\n");
  ASSERT_FALSE(reply);
  EXPECT_TRUE(reply.error().sent);
}

TEST(OneTransmission, HeadersOfAnInterimReplyDoNotCount) {
  auto reply = answered_with("HTTP/1.1 103 Early Hints\r\nLink: a\r\nDate: junk\r\n\r\n" + std::string(kOk));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->headers.count("link"), 0U);
  EXPECT_FALSE(reply->date);
}

TEST(OneTransmission, TrailersAreNoHead) {
  auto reply = answered_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n");
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "ok");
}

TEST(OneTransmission, ASlowReplyEndsAtTheDeadline) {
  std::atomic<bool> done{false};
  RawServer server([&](const Fd& c) {
    read_request(c);
    send_text(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (!done) send_text(c, "x"), std::this_thread::sleep_for(5ms);
  });
  auto begin = std::chrono::steady_clock::now();
  auto reply = send(*client(), "POST", server, 100ms);
  done = true;
  ASSERT_FALSE(reply);
  EXPECT_TRUE(reply.error().sent);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST(OneTransmission, WhatCouldNotConnectWasNotSent) {
  HttpRequest r;
  r.method = "POST";
  r.timeout = 200ms;
  {
    Listener closed;
    r.url = "http://127.0.0.1:" + std::to_string(closed.port()) + "/";
  }
  auto refused = client()->send(r);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().sent) << refused.error().what;
  EXPECT_FALSE(refused.error().refused_by_us);

  Listener full(0);
  full.fill_queue();
  r.url = "http://127.0.0.1:" + std::to_string(full.port()) + "/";
  auto dropped = client()->send(r);
  ASSERT_FALSE(dropped);
  EXPECT_FALSE(dropped.error().sent) << dropped.error().what;

  r.url = "https://no-such-host.invalid/";
  auto unknown = make_http({HttpRules::Reach::internet, "vault-test/test", ""})->send(r);
  ASSERT_FALSE(unknown);
  EXPECT_FALSE(unknown.error().sent) << unknown.error().what;
}

TEST(OneTransmission, AHandshakeThatIsNotFinishedSentNothing) {
  for (std::string answer : {"", "HTTP/1.1 400 Bad Request\r\n\r\n"}) {
    RawServer server([&](const Fd& c) {
      char hello[64];
      (void)!recv(c.get(), hello, sizeof hello, 0);
      send_text(c, answer);
      if (answer.empty()) std::this_thread::sleep_for(150ms);
    });
    HttpRequest r;
    r.method = "POST";
    r.timeout = 100ms;
    r.url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
    auto reply = client()->send(r);
    ASSERT_FALSE(reply);
    EXPECT_FALSE(reply.error().sent) << reply.error().what;
  }
}

}  // namespace
}  // namespace vt
