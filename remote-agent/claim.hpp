#pragma once
#include <string>

#include "remote-agent/base/os.hpp"

namespace vt::agent {

/// The host as a whole, taken for one run and layer: a lock on <root>/tmp/vault-test.claim, held as long as this process or
/// a supervisor it started has the descriptor. Advice between vault-tests, not a defence against other users.
class Claim {
 public:
  explicit Claim(std::string root) : path_(std::move(root) + "/tmp/vault-test.claim") {}
  struct Answer {
    bool ok = false;
    std::string holder;  ///< token of who holds it, or why it cannot be known
  };
  /// Succeeds too while a detached job of the same token holds the lock; keep() then takes it when that job ends.
  Answer take(const std::string& token, bool exclusive);
  /// To be called now and then.
  void keep();
  /// For supervisors that outlive the session; -1 if nothing is held.
  [[nodiscard]] int fd() const { return locked_ ? file_.get() : -1; }

 private:
  bool lock();
  std::string path_, token_;
  Fd file_;
  bool exclusive_ = true, writable_ = false, locked_ = false;
};

}  // namespace vt::agent
