#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// What a check needs of a host: "gpu>=2, docker.daemon|podman". Comma = and (binds loosest), '|' = or, '!' = not,
/// parentheses group; a bare id asks for a truthy fact, id OP literal compares (>= > <= < == !=; numbers or versions).
class Requirement {
 public:
  /// Error: what is wrong and at which character.
  static Result<Requirement> parse(std::string_view);

  enum class State { met, absent, unknown };
  struct Answer {
    State state = State::met;
    std::string capability;  ///< the atom that decided, e.g. "kernel.modules" or "gpu>=2"; empty if met
    std::string evidence;    ///< the fact's evidence, or "not probed"
  };
  /// Three-valued: an unknown fact never counts as absent; `or` is met by one met side.
  [[nodiscard]] Answer evaluate(const Capabilities&) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Every capability id named, for checking them against the known ones.
  [[nodiscard]] std::vector<std::string> ids() const;
  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;  ///< immutable, shared between copies; null = nothing required
};

}  // namespace vt
