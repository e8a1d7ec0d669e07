#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

struct SshdOptions {
  std::vector<std::string> config;  ///< sshd_config lines; they win over the fixture's own
};

/// A real OpenSSH server on 127.0.0.1, run as the current user with keys of its own. Commands run in it have HOME in the
/// fixture's folder. Ends with its sessions when this object goes.
class Sshd {
 public:
  /// The error says why there is none on this machine: the reason for GTEST_SKIP. Looks for the program in
  /// $VAULT_TEST_SSHD, PATH and /usr/sbin.
  static Result<std::unique_ptr<Sshd>> start(const SshdOptions& = {});
  ~Sshd();

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& host_key() const { return host_key_; }  ///< "SHA256:…"
  [[nodiscard]] std::string client_key() const { return folder_ / "client"; }
  [[nodiscard]] std::string home() const { return folder_ / "home"; }
  [[nodiscard]] std::string host_key_line() const;  ///< for a known_hosts file, without the host
  [[nodiscard]] std::string log() const { return read_file(folder_ / "log"); }
  /// How to reach it: key and host key filled in; another port for a proxy in between.
  [[nodiscard]] HostSpec access(int port = 0) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The processes that serve connections now.
  [[nodiscard]] std::vector<pid_t> sessions() const;

 private:
  Sshd() = default;
  Status make_keys();
  Status launch(const std::string& program, const SshdOptions&);

  TempDir folder_;
  std::string host_key_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace vt::test
