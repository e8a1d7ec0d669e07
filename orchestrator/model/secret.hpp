#pragma once
#include <openssl/crypto.h>

#include <string>
#include <utility>

namespace vt {

/// A value that must not be shown: it has no printer, is not copied by accident and is wiped when it goes. Only what
/// builds an HTTP header, signs or authenticates calls reveal().
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  /// Copies and wipes: moving a short string leaves its bytes where they were.
  Secret(Secret&& other) noexcept { value_ = other.value_, other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) wipe(), value_ = other.value_, other.wipe();
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { wipe(); }

  [[nodiscard]] bool empty() const { return value_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] Secret copy() const { return Secret(value_); }

 private:
  void wipe() {
    OPENSSL_cleanse(value_.data(), value_.size());
    value_.clear();
  }
  std::string value_;
};

}  // namespace vt
