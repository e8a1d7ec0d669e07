#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/money.hpp"
#include "orchestrator/plan/node.hpp"
#include "orchestrator/plan/problems.hpp"

namespace vt::yaml {

/// "text", "a list", "a map" or "nothing", for messages.
std::string_view kind_name(const Node&);
/// " is empty", " is a list", …: what follows a name in a message.
std::string is_what(const Node&);
/// The text of a scalar; "" and a problem for anything else. `what` names it: "a duration".
std::string scalar(const Node&, std::string_view what, Problems&);
/// One value or a list of them; each once.
std::vector<const Node*> scalars(const Node&, std::string_view what, Problems&);

/// One map of a file, read key by key. What does not fit becomes a problem at its place and leaves the target as it is,
/// so that reading goes on and every problem of a file is told at once. A value with an unset environment variable in it
/// is only checked once that is set.
class Fields {
 public:
  /// `what` as in "unknown key 'x' in a host". Keys outside `known` are problems; empty: every key is fine.
  Fields(const Node&, std::string what, std::vector<std::string> known, Problems&);

  [[nodiscard]] const Node* find(std::string_view key) const { return node_.find(key); }
  /// The same, but an absent key is a problem.
  const Node* need(std::string_view key) const;
  [[nodiscard]] const Node& node() const { return node_; }

  void read(std::string_view key, std::string&) const;
  void read(std::string_view key, bool&) const;
  void read(std::string_view key, Duration&) const;  ///< more than zero
  void read(std::string_view key, std::optional<Duration>&) const;
  void read(std::string_view key, std::optional<Money>&) const;
  void read(std::string_view key, std::vector<std::string>&) const;
  /// A whole number from `least` to `most`.
  void read(std::string_view key, int&, int least, int most) const;
  /// Text that passes `fits`; otherwise: "KEY 'text' is not `form`".
  void read(std::string_view key, std::string&, bool (*fits)(std::string_view), std::string_view form) const;
  /// One of `names`; the target becomes the enumerator of that index.
  template <class Enum>
  void read_enum(std::string_view key, Enum& out, const std::vector<std::string>& names) const {
    if (auto index = index_of(key, names)) out = static_cast<Enum>(*index);
  }
  Problems& problems() const { return problems_; }

 private:
  [[nodiscard]] std::optional<int> index_of(std::string_view key, const std::vector<std::string>& names) const;
  /// The scalar at `key` if it is there and its text is final.
  [[nodiscard]] const Node* final_scalar(std::string_view key, std::string_view what) const;

  const Node& node_;
  std::string what_;
  Problems& problems_;
};

}  // namespace vt::yaml
