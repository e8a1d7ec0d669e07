#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace vt::probe {

/// What one probe found out: a JSON value as text ("" = unknown) and the line that makes a person believe it.
struct Answer {
  std::string value, evidence;
  [[nodiscard]] bool known() const { return !value.empty(); }
  [[nodiscard]] bool is_true() const { return value == "true"; }
  [[nodiscard]] bool is_false() const { return value == "false"; }
};

Answer yes(std::string evidence);
Answer no(std::string evidence);
Answer unknown(std::string evidence);
Answer number(std::int64_t, std::string evidence);
Answer number(double, std::string evidence);
Answer text(const std::string&, std::string evidence);  ///< text("") = known not to be there
Answer list(const std::vector<std::string>&, std::string evidence);

/// Unknown because `path` could not be read: "/proc/self/status: Permission denied".
Answer unreadable(const std::string& path, int error);
std::string why(int error);  ///< the errno in words

}  // namespace vt::probe
