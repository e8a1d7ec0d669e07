#include "providers/http/http.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <atomic>
#include <cstdlib>

#include "tests/unit/host/sockets.hpp"
#include "tests/unit/http/web_server.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::WebServer;

std::unique_ptr<Http> loopback() { return make_http({HttpRules::Reach::loopback, "vault-test/test", ""}); }
std::unique_ptr<Http> internet() { return make_http({HttpRules::Reach::internet, "vault-test/test", ""}); }

HttpRequest request(const std::string& method, const std::string& url) {
  HttpRequest r;
  r.method = method;
  r.url = url;
  r.timeout = 5s;
  return r;
}

class HttpClient : public testing::Test {
 protected:
  HttpClient() {
    web_.server.Get("/echo", [this](auto& q, auto& reply) { seen_ = q.headers, reply.set_content("hello", "text/plain"); });
    web_.server.Post("/echo", [this](auto& q, auto& reply) { seen_ = q.headers, reply.set_content(q.body, "text/plain"); });
    web_.server.Delete("/gone", [](auto&, auto& reply) { reply.status = 204; });
    web_.server.Get("/moved", [this](auto&, auto& reply) { reply.set_redirect(web_.url("/target")); });
    web_.server.Post("/moved", [this](auto&, auto& reply) { reply.set_redirect(web_.url("/target")); });
    web_.server.Get("/target", [this](auto&, auto&) { ++target_; });
    web_.server.Get("/dated", [](auto&, auto& reply) { reply.set_header("Date", "Fri, 20 Nov 2026 08:30:00 GMT"); });
    web_.server.Get("/big", [](auto&, auto& reply) { reply.set_content(std::string(5000, 'x'), "text/plain"); });
    web_.server.Get("/chunks", [](auto&, auto& reply) {
      reply.set_chunked_content_provider("text/plain", [](std::size_t, auto& sink) { return sink.write("yyyyyyyy", 8); });
    });
    web_.start();
  }
  [[nodiscard]] std::string header(const std::string& name) const {
    auto at = seen_.find(name);
    return at == seen_.end() ? "" : at->second;
  }
  WebServer web_;
  httplib::Headers seen_;
  std::atomic<int> target_{0};
};

TEST_F(HttpClient, ReadsStatusHeadersAndBody) {
  auto reply = loopback()->send(request("GET", web_.url("/echo")));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(reply->headers["content-type"], "text/plain");
  EXPECT_FALSE(reply->date);
  EXPECT_EQ(header("User-Agent"), "vault-test/test");
  EXPECT_EQ(header("Authorization"), "");
  EXPECT_EQ(header("Content-Type"), "");
}

TEST_F(HttpClient, SendsBodyTypeHeadersAndBearer) {
  Secret key("canary");
  auto r = request("POST", web_.url("/echo"));
  r.body = R"({"a":1})";
  r.content_type = "application/json";
  r.headers = {{"Metadata-Flavor", "Google"}};
  r.bearer = &key;
  auto reply = loopback()->send(r);
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, R"({"a":1})");
  EXPECT_EQ(header("Content-Type"), "application/json");
  EXPECT_EQ(header("Metadata-Flavor"), "Google");
  EXPECT_EQ(header("Authorization"), "Bearer canary");
}

TEST_F(HttpClient, AReplyOfAnyStatusIsAReply) {
  auto http = loopback();
  auto gone = http->send(request("DELETE", web_.url("/gone")));
  ASSERT_TRUE(gone) << gone.error().what;
  EXPECT_EQ(gone->status, 204);
  EXPECT_EQ(http->send(request("GET", web_.url("/nothing")))->status, 404);
}

TEST_F(HttpClient, OneClientDoesOneThingAfterAnother) {
  auto http = loopback();
  auto post = request("POST", web_.url("/echo"));
  post.body = "first";
  EXPECT_EQ(http->send(post)->body, "first");
  EXPECT_EQ(http->send(request("GET", web_.url("/echo")))->body, "hello");
  EXPECT_EQ(header("Content-Length"), "");
  post.body = "";
  auto empty = http->send(post);
  ASSERT_TRUE(empty) << empty.error().what;
  EXPECT_EQ(empty->body, "");
  EXPECT_EQ(header("Content-Length"), "0");
}

TEST_F(HttpClient, RedirectsAreReturnedNotFollowed) {
  auto http = loopback();
  for (auto method : {"GET", "POST"}) {
    auto reply = http->send(request(method, web_.url("/moved")));
    ASSERT_TRUE(reply) << reply.error().what;
    EXPECT_EQ(reply->status, 302) << method;
    EXPECT_EQ(reply->headers["location"], web_.url("/target"));
  }
  EXPECT_EQ(target_, 0);
}

TEST_F(HttpClient, TheServersClockIsRead) {
  auto reply = loopback()->send(request("GET", web_.url("/dated")));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->date, EpochMs{1795163400000});
}

TEST_F(HttpClient, TooMuchIsAnError) {
  for (auto path : {"/big", "/chunks"}) {
    auto r = request("GET", web_.url(path));
    r.largest = 4999;
    auto reply = loopback()->send(r);
    ASSERT_FALSE(reply) << path;
    EXPECT_TRUE(reply.error().sent);
    EXPECT_EQ(reply.error().what, "GET " + web_.url(path) + ": the reply is larger than allowed");
  }
  auto r = request("GET", web_.url("/big"));
  r.largest = 5000;
  EXPECT_TRUE(loopback()->send(r));
}

TEST_F(HttpClient, WhatNobodyWaitsForAnyMoreEndsButForAPost) {
  HttpRules rules{HttpRules::Reach::loopback, "vault-test/test", ""};
  rules.abandon = [] { return true; };
  EXPECT_TRUE(make_http(rules)->send(request("DELETE", web_.url("/gone")))) << "it still has its grace";
  rules.grace = 0s;
  auto http = make_http(rules);
  EXPECT_FALSE(http->send(request("GET", web_.url("/echo"))));
  EXPECT_FALSE(http->send(request("DELETE", web_.url("/gone"))));
  EXPECT_TRUE(http->send(request("POST", web_.url("/echo")))) << "it may have made something";
}

TEST_F(HttpClient, NoProxyIsTakenFromTheEnvironment) {
  test::Listener proxy;
  auto address = "http://127.0.0.1:" + std::to_string(proxy.port());
  for (auto name : {"http_proxy", "https_proxy", "ALL_PROXY"}) setenv(name, address.c_str(), 1);
  auto reply = loopback()->send(request("GET", web_.url("/echo")));
  for (auto name : {"http_proxy", "https_proxy", "ALL_PROXY"}) unsetenv(name);
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "hello");
}

TEST_F(HttpClient, AHeaderIsOneLine) {
  Secret key("two\r\nX-Other: lines");
  auto r = request("GET", web_.url("/echo"));
  r.bearer = &key;
  auto reply = loopback()->send(r);
  ASSERT_FALSE(reply);
  EXPECT_FALSE(reply.error().sent);
  EXPECT_EQ(reply.error().what.find("Other"), std::string::npos) << reply.error().what;
  r.bearer = nullptr;
  r.headers = {{"A", "b\nC: d"}};
  EXPECT_FALSE(loopback()->send(r));
}

TEST(HttpAddresses, LoopbackReachesNobodyElse) {
  auto http = loopback();
  for (std::string url : {"http://192.0.2.1/", "https://api.runpod.io/v2/pods", "http://[2001:db8::1]/", "http://127.0.0.1.example.org/",
                          "http://0.0.0.0/", "http://localhost.example.org/", "http://1.0.0.127/", "ftp://127.0.0.1/", "file:///etc/passwd",
                          "http://user@127.0.0.1/", "http://127.0.0.1@192.0.2.1/", "127.0.0.1", ""}) {
    auto reply = http->send(request("GET", url));
    ASSERT_FALSE(reply) << url;
    EXPECT_TRUE(reply.error().refused_by_us) << url;
    EXPECT_FALSE(reply.error().sent) << url;
  }
}

TEST(HttpAddresses, AllOfThisMachineIsLoopback) {
  WebServer web;
  web.server.Get("/", [](auto&, auto& reply) { reply.set_content("here", "text/plain"); });
  web.start();
  auto at = web.url("/").substr(std::string("http://127.0.0.1").size());
  EXPECT_TRUE(loopback()->send(request("GET", "http://localhost" + at)));
  for (std::string host : {"127.1.2.3", "[::1]"}) {  // nobody listens there, but we may ask
    auto reply = loopback()->send(request("GET", "http://" + host + at));
    ASSERT_FALSE(reply) << host;
    EXPECT_FALSE(reply.error().refused_by_us) << reply.error().what;
    EXPECT_FALSE(reply.error().sent);
  }
}

TEST(HttpAddresses, TheInternetIsHttpsOnlyButForTheMetadataServer) {
  auto http = internet();
  Secret key("canary");
  for (std::string url :
       {"http://127.0.0.1:1/", "http://api.runpod.io/v2/pods", "http://metadata.google.internal.example.org/", "ldap://x/"}) {
    auto reply = http->send(request("GET", url));
    ASSERT_FALSE(reply) << url;
    EXPECT_TRUE(reply.error().refused_by_us) << url;
  }
  auto metadata = request("GET", "http://metadata.google.internal:1/");
  metadata.bearer = &key;
  EXPECT_TRUE(http->send(metadata).error().refused_by_us) << "no bearer without TLS";
}

/// A certificate that nobody signed.
struct SelfSigned {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}), EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate{X509_new(), X509_free};
  SelfSigned() {
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
  }
};

TEST(HttpTls, AnUnknownCertificateIsRefusedBeforeAnythingIsSent) {
  SelfSigned own;
  httplib::SSLServer server(own.certificate.get(), own.key.get());
  std::atomic<int> requests{0};
  server.Post("/", [&](auto&, auto&) { ++requests; });
  int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  auto url = "https://127.0.0.1:" + std::to_string(port) + "/";
  for (auto& http : {loopback(), internet()}) {
    auto reply = http->send(request("POST", url));
    EXPECT_FALSE(reply);
    if (reply) continue;
    EXPECT_FALSE(reply.error().sent) << reply.error().what;
    EXPECT_NE(reply.error().what.find("certificate"), std::string::npos) << reply.error().what;
  }
  server.stop();
  thread.join();
  EXPECT_EQ(requests, 0);
}

}  // namespace
}  // namespace vt
