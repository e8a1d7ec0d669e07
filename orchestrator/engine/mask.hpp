#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/model/observation.hpp"

namespace vt {

/// A shorter one would match by accident, so it cannot be masked and is refused before a run.
constexpr std::size_t kShortestSecret = 6;

/// Takes the values of secrets out of text that comes back from a host, before it is stored: plain, base64, URL-encoded,
/// hex and JSON-escaped.
class Masker {
 public:
  Masker() = default;
  explicit Masker(const std::map<std::string, std::string>& secrets);  ///< name -> value
  [[nodiscard]] std::string apply(std::string text) const;             ///< each value becomes "[NAME]"
  void apply(Observation&) const;
  void apply(Value&) const;

 private:
  std::vector<std::pair<std::string, std::string>> forms_;  ///< what to look for -> what to write; longest first
};

}  // namespace vt
