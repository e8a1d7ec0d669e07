#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/money.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

/// How many checks ended how; a check on two hosts counts twice.
struct VerdictCounts {
  std::array<int, 8> by_verdict{};
  int none = 0;  ///< planned, and nobody said anything about it
  int& operator[](Verdict v) { return by_verdict.at(static_cast<std::size_t>(v)); }
  [[nodiscard]] int operator[](Verdict v) const { return by_verdict.at(static_cast<std::size_t>(v)); }
  [[nodiscard]] int judged() const;
};
VerdictCounts operator+(const VerdictCounts&, const VerdictCounts&);

struct LayerView {
  LayerRow row;
  std::vector<std::string> hosts;  ///< seen; one empty name if none was
  VerdictCounts counts;
  Duration took{0};  ///< so far, if it has not ended
  Money spent;
  bool subject_differs = false;  ///< it saw another subject than the run was started for
};

/// One host of one layer.
struct ViewColumn {
  std::size_t layer = 0;    ///< index into RunView::layers
  std::string host, label;  ///< label: "cube", or "cube/node1" where a layer has several hosts
};

/// One check on one host.
struct ViewCell {
  bool planned = false;                 ///< the layer was asked to run it; false: nothing to show
  std::vector<Judgement> judgements;    ///< one per subject (GPU, pair); empty although planned: no verdict
  std::vector<std::string> covered_by;  ///< for a skip: layers of this run that proved it
  /// The judgement that decides how the cell counts (the worst); nullptr if there is none.
  [[nodiscard]] const Judgement* deciding() const;
  /// The processor stood in for a GPU.
  [[nodiscard]] bool on_cpu() const;
};

struct ViewRow {
  std::string check, title;
  Severity severity = Severity::gate;
  bool proven = false;          ///< by real evidence, on some host of this run
  std::vector<ViewCell> cells;  ///< by column
};

struct ViewDifference {
  std::string layer;
  event::CapabilityDiffers what;
};

/// Everything a report says about a run, read once. No report asks the store again (but `why`, for raw output).
struct RunView {
  enum class State { running, interrupted, ended };
  RunRow run;
  State state = State::ended;
  std::vector<LayerView> layers;  ///< in plan order
  std::vector<ViewColumn> columns;
  std::vector<ViewRow> rows;                ///< in running order
  std::vector<ViewDifference> differences;  ///< predicted against probed
  std::vector<ArtefactRow> artefacts;
  std::vector<SeriesRow> series;      ///< metrics that checks reported while they ran
  std::vector<std::string> unproven;  ///< gating and advisory checks without real evidence in this run
  /// Names of what may still cost money or be left behind, as far as the run's events know; without those in `kept`.
  /// The ledger knows better: a caller that has it open replaces this, `spent` and `created`.
  std::vector<std::string> open_resources;
  std::vector<event::ResourceMoved> kept;  ///< hosts the user asked to keep
  Money spent;
  int created = 0;                             ///< hosts that were made for it
  std::vector<std::string> never_on_hardware;  ///< checks that ran here and that their makers never ran on hardware; set by a caller
  std::map<std::string, std::string> last_on_hardware;  ///< the others that ran here and need a GPU: "DEVICE, DATE"; set by a caller
  std::optional<Money> cap;                             ///< of the run, of plan and user the stricter; set by a caller that knows it

  [[nodiscard]] VerdictCounts counts() const;
  [[nodiscard]] bool rehearsal() const { return run.origin == EvidenceOrigin::rehearsal; }
};

/// `run`: id, unique prefix or "last". Errc::not_found if there is no such run.
Result<RunView> view_run(const Store&, const std::string& run);

/// Whether the layer's pipeline is at its end, well or not.
bool is_final(LayerState);
/// "golden-image @4c1d9e2 clean"; empty if the plan names no subject.
std::string text(const Subject&);
std::string_view name(RunView::State);

}  // namespace vt
