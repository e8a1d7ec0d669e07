#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace vt::test {

struct Ended {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string out, err;
};

/// The real vault-test binary with a state folder and a catalogue of its own.
class Program {
 public:
  std::map<std::string, std::string> environment;  ///< added to ours
  std::string binary = VT_BIN_DIR "/vault-test";
  std::string catalogue = VT_SOURCE_DIR "/tests/data/scenario/catalogue";
  std::string terminal;      ///< path of a pseudo-terminal: it runs in a session of its own, which ends with it
  std::string state_folder;  ///< another program's, to share it; else its own

  /// Runs it to its end; it is killed after `seconds`.
  Ended run(const std::vector<std::string>& arguments, int seconds = 120);
  /// Starts it; wait() collects it. One at a time.
  pid_t start(const std::vector<std::string>& arguments);
  Ended wait(int seconds = 120);
  /// Writes a plan and gives its path.
  std::string plan(const std::string& text);
  [[nodiscard]] std::string state() const { return state_folder.empty() ? folder_ / "state" : state_folder; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  /// What it has printed on standard error so far.
  [[nodiscard]] std::string err() const { return read_file(folder_ / "err"); }
  /// Waits until standard error holds `text`; false after `seconds`.
  [[nodiscard]] bool saw(const std::string& text, int seconds = 60) const;

 private:
  TempDir folder_;
  pid_t pid_ = -1;
  int plans_ = 0;
};

}  // namespace vt::test
