#pragma once
#include <string>

#include "orchestrator/model/result.hpp"
#include "tests/scenario/catalogue/cases.hpp"

namespace vt::test {

/// A private view of this machine's file system and processes: the root laid under a memory file system, empty /run, /tmp
/// and /dev, the case's files and programs on top. Nothing in it reaches the real machine; it is gone with its first process.
class View {
 public:
  /// Prepares the view in a new folder below /tmp; nothing runs yet.
  static Result<View> prepare(const Case&);
  View(View&&) noexcept;
  View(const View&) = delete;
  ~View();

  /// Starts `program` (on this machine) with `argument` inside the view.
  struct Process {
    int pid = -1, in = -1, out = -1;
  };
  Result<Process> start(const std::string& program, const std::string& argument) const;
  /// What the view's programs said on standard error.
  [[nodiscard]] std::string complaints() const;

 private:
  explicit View(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

/// Why no view can be made here; empty if one can.
std::string why_no_view();

}  // namespace vt::test
