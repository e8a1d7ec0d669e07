#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// A real store in a folder of its own, filled step by step with one run.
class RunBuilder {
 public:
  RunBuilder();
  ~RunBuilder();
  RunBuilder(const RunBuilder&) = delete;
  RunBuilder& operator=(const RunBuilder&) = delete;

  static constexpr const char* kRun = "20261120-103000-k3x9";
  RunRow run;
  ManualClock clock;
  Catalogue catalogue;

  void check(const std::string& id, const std::string& title, Severity severity = Severity::gate);
  void layer(const std::string& name, const std::vector<std::string>& checks, const std::string& provider = "local");
  Store& start();  ///< writes run, layers and planned checks

  Judgement judged(const std::string& layer, const std::string& check, Verdict verdict, Cause cause = Cause::none,
                   const std::string& reason = "") const;
  void add(const Judgement&, const Observation* = nullptr);
  void pass(const std::string& layer, const std::vector<std::string>& checks);
  void skip(const std::string& layer, const std::string& capability, const std::string& evidence, const std::vector<std::string>& checks);
  void miss(const std::string& layer, const std::string& check, Verdict, const std::string& measured, const std::string& rule,
            const std::string& why = "");
  void move(const std::string& layer, LayerState, const std::string& detail = "");
  void event(const std::string& layer, const EventBody&);
  void pass_time(int seconds) { clock.wall_ms += seconds * 1000; }
  /// All layers done, the run closed.
  void finish(int exit_code = 0);

  Store& store() { return *store_; }
  RunView view();

 private:
  std::string dir_;
  std::unique_ptr<Store> store_;
  std::vector<LayerRow> layers_;
  std::vector<PlannedRow> planned_;
};

/// A laptop and a pod-like host: one warning, honest skips, a capability that is not as predicted.
void fill_quickstart(RunBuilder&);
/// What can go wrong: failures on several hosts, a broken check, a lost host, a closed gate, a missing verdict.
void fill_broken(RunBuilder&);
/// A rehearsal that was interrupted.
void fill_rehearsal(RunBuilder&);

}  // namespace vt
