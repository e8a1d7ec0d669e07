#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "emulated.hpp"
#include "judge.hpp"
#include "tests/support/program.hpp"

namespace vt::test {

/// Runs of the real binary against emulated clouds in which strangers have things of their own. What is promised is judged from the
/// emulator's books at the end of each scenario and added to the figures of the promise.
class Promise : public testing::Test {
 protected:
  explicit Promise(std::string name) : name_(std::move(name)) {}
  void SetUp() override;
  void TearDown() override;

  /// New clouds and a new installation.
  void begin(const EmulatorOptions& = {});
  /// A new installation beside what is there.
  void forget_state();
  /// The same program once more, on the same state folder: for while the other one runs.
  [[nodiscard]] std::unique_ptr<Program> beside() const;
  /// The words of a command that talks to the emulated clouds.
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> command) const;
  Ended vault(const std::vector<std::string>& command, int seconds = 60) { return program->run(words(command), seconds); }
  pid_t start(const std::vector<std::string>& command) { return program->start(words(command)); }

  /// A layer of a plan; `more`: further keys, ", keep: them".
  static std::string layer(const std::string& provider, int hosts, const std::string& check = "p.quick", const std::string& more = "");
  std::string plan_of(const std::vector<std::string>& layers, const std::string& more = "");

  /// Rows of the ledger, as `resources --all` shows them.
  nlohmann::json rows();
  /// Waits until the books hold `count` instances and pods of ours that are alive; false after `seconds`.
  [[nodiscard]] bool alive(int count, int seconds = 20) const;
  [[nodiscard]] Judged books() const { return judge(clouds.things(), clouds.requests(), planted_); }

  /// Reaps, at most so often as needed for nothing of ours to be alive, and holds books and ledger against the promises: no leak,
  /// never more hosts at once than `most` for each provider, one create request per token, nothing of strangers ended.
  void expect_kept(int most, int reaps = 1);
  /// Holds what there is now against them, without reaping.
  void expect_nothing_wrong(int most);
  /// Makes a thing through /emulator/foreign; `ours` means that it has to go. Gives its id.
  std::string plant(const std::string& api, const std::string& name, const nlohmann::json& labels, bool ours = false);
  /// Adds to a figure of this promise.
  void count(const std::string& figure, int more = 1) { figures_[figure] = figures_.value(figure, 0) + more; }

  std::unique_ptr<Program> program;
  Emulated clouds;

 private:
  void plant_strangers();
  void close_books();
  void expect_ledger_agrees();

  std::string name_;
  nlohmann::json figures_ = nlohmann::json::object();
  std::unique_ptr<TempDir> folder_;
  std::set<std::string> planted_;  ///< ids of planted things that are ours
  int emulators_ = 0;
};

bool has(const std::string& text, const std::string& part);
/// Whether the long suite runs, which leaves nothing out.
bool long_run();

}  // namespace vt::test
