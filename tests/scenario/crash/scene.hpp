#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/sshd.hpp"

namespace vt::test {

/// A run of two layers side by side, `pod` (made and given back) and `box` (an SSH server), with a passing check, one that
/// advises and has logs fetched, and a detached one that leaves a line in a file each time it is started. It ends with 0.
class Scene : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Layers of a plan, and the plan with those of them that are asked for.
  [[nodiscard]] std::string pod_layer(const std::string& checks) const;
  [[nodiscard]] std::string box_layer(const std::string& checks) const;
  std::string plan_of(const std::vector<std::string>& layers);

  /// An empty state folder and an empty host again: a first run makes more than a later one.
  void start_afresh();
  /// What a person does after a crash: resumes the run if there is one to resume, looks at it if it has ended, else starts anew.
  Ended go_on();
  /// Layer and check -> verdict, of the last run.
  std::map<std::string, std::string> verdicts();
  /// What `plan_` gives when nothing is in its way.
  static const std::map<std::string, std::string>& all_well();
  nlohmann::json machine_readable(const std::vector<std::string>& command);
  /// How often a name was written to the file named by VAULT_TEST_FAILPOINT_LOG.
  [[nodiscard]] int times_reached(const std::string& failpoint) const;
  /// How often the detached check was started on the box.
  [[nodiscard]] int starts() const;
  /// Reaps, and looks whether anything of ours is still on this machine.
  void expect_nothing_left();

  Program program;
  SshdOptions options;  ///< to be changed before SetUp()
  std::unique_ptr<Sshd> sshd;
  std::string plan_;

 private:
  [[nodiscard]] std::string once_file() const;
  void expect_no_traces(const std::string& text);
};

bool has(const std::string& text, const std::string& part);
/// Whether every occurrence is to be tried, whatever the time.
bool long_run();
/// SQLite's own check of a database in the state folder: "ok", or what is wrong.
std::string integrity(const std::string& database);

}  // namespace vt::test
