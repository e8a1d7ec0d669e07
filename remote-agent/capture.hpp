#pragma once
#include <string>
#include <string_view>

#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// Keeps the first and the last kKeep bytes of an output stream and counts all of it, in constant memory and in time
/// linear in what was added: a flood costs the worker, not us.
class Capture {
 public:
  void add(std::string_view bytes);
  /// Head and tail as valid UTF-8. Nothing was left out if bytes <= 2 * kKeep; then head + tail is all of it.
  [[nodiscard]] protocol::Stream stream() const;

 private:
  [[nodiscard]] std::string tail() const;

  std::string head_, ring_;
  std::size_t at_ = 0;  ///< where the ring's oldest byte is, once it is full
  std::uint64_t bytes_ = 0, newlines_ = 0;
  char last_ = '\n';
};

}  // namespace vt::agent
