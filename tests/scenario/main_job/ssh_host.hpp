#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/sshd.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace vt::test {

/// The program and a real SSH host behind a relay, for what happens between them.
class SshHost : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = Sshd::start();
    if (!started) GTEST_SKIP() << started.error().what;
    sshd = std::move(started).take();
    proxy = std::make_unique<TcpProxy>(sshd->port());
  }

  /// A plan of one bare-metal layer `box` behind the relay, with this suite.
  std::string box_plan(const std::string& suite, const std::string& more = "") {
    return program.plan("vault-test: 1\nname: box\nlayers:\n  box:\n    provider: bare-metal\n    hosts: [" +
                        host(proxy->port(), sshd->host_key()) + "]\n    suites: [" + suite + "]\n" + more);
  }
  /// The same with single checks.
  std::string box_with(const std::string& checks) {
    return program.plan("vault-test: 1\nname: box\nlayers:\n  box: {provider: bare-metal, checks: [" + checks + "], hosts: [" +
                        host(proxy->port(), sshd->host_key()) + "]}\n");
  }
  [[nodiscard]] std::string host(int port, const std::string& key) const {
    return "{address: 127.0.0.1, port: " + std::to_string(port) + ", user: " + sshd->access().user + ", identity: " + sshd->client_key() +
           ", host-key: \"" + key + "\", exclusive: true}";
  }
  nlohmann::json report() { return nlohmann::json::parse(program.run({"report", "--format", "json"}).out); }

  Program program;
  std::unique_ptr<Sshd> sshd;
  std::unique_ptr<TcpProxy> proxy;
};

}  // namespace vt::test
