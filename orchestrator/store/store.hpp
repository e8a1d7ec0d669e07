#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/event.hpp"
#include "orchestrator/model/observation.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/model/subject.hpp"

namespace vt {

struct RunRow {
  std::string id, plan, purpose;
  std::string plan_hash, catalogue_hash;  ///< of documents in the store
  Subject subject;
  std::string level, selection;  ///< selectors as JSON, so that resume selects the same
  std::string tool;              ///< version of vault-test
  EvidenceOrigin origin = EvidenceOrigin::real;
  EpochMs started = 0, ended = 0;  ///< ended 0: not ended
  std::string holder;              ///< process running it; dead and not ended = interrupted
  std::optional<int> exit_code;
};

struct LayerRow {
  std::string run, name, provider, proves;
  LayerState state = LayerState::waiting;
  std::string detail;  ///< why it failed or is blocked
  Subject subject;     ///< what this layer saw; differs from the run's = said aloud
  EpochMs started = 0, ended = 0;
};

/// A check a layer was asked to run, written before anything runs: what has no judgement later is visible.
struct PlannedRow {
  std::string run, layer, check, title, severity;
  int position = 0;
};

struct CapabilityRow {
  std::string layer, host;
  Fact fact;
};

struct ArtefactRow {
  std::string run, layer, host, check, name, sha256;
  std::uint64_t bytes = 0;
  EpochMs at = 0;
};

/// How long one observation took: enough to share a host's cost out, without its output.
struct TookRow {
  std::string run, layer, host, check;
  EpochMs started = 0;
  Duration took{0};
};

/// A metric that a check reported again and again while it ran: power, temperature, rate.
struct SeriesRow {
  std::string run, layer, host, check;
  int attempt = 1;
  std::string name, unit, device;
  EpochMs started = 0;                ///< when the check began; read only, 0: its observation is not there
  std::uint64_t count = 0;            ///< values in all; `points` may be fewer
  double min = 0, mean = 0, max = 0;  ///< of all of them
  struct Point {
    std::int64_t ms = 0;  ///< since the check began
    double value = 0;
  };
  std::vector<Point> points;
};

struct HistoryRow {
  std::string run, layer, host;
  EpochMs at = 0;
  Verdict verdict = Verdict::error;
  std::string reason, measured;
  std::string subject_commit;
};

/// results.db and the artefact folder. Thread-safe; every write is one committed transaction when it returns.
class Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& state_dir, const Clock& clock);
  /// Read-only, for reports: never creates, never migrates; not_found if there is none.
  static Result<std::unique_ptr<Store>> open_existing(const std::string& state_dir, const Clock& clock);
  ~Store();

  // documents by content hash (SHA-256 hex): plans, catalogues, baselines
  Result<std::string> put_document(const std::string& kind, const std::string& text);
  Result<std::string> document(const std::string& hash) const;

  // runs and layers
  Status add_run(const RunRow&, const std::vector<LayerRow>&, const std::vector<PlannedRow>&);  ///< one transaction
  Status take_run(const std::string& run);  ///< this process is the holder now (resume); refused while another one runs it
  Status end_run(const std::string& run, int exit_code);
  Status move_layer(const std::string& run, const std::string& layer, LayerState, const std::string& detail);
  Status set_layer_subject(const std::string& run, const std::string& layer, const Subject&);

  /// `told`: the event that says so, in the same transaction. What was told is on disk.
  Status add_result(const Observation*, const Judgement&, const EventBody* told = nullptr);  ///< observation may be null (skip, blocked)
  Status add_capabilities(const std::string& run, const std::string& layer, const std::string& host, const Capabilities&);
  Status add_series(const std::vector<SeriesRow>&);                   ///< one transaction
  Status add_artefact(const ArtefactRow&, const std::string& bytes);  ///< its hash and size are computed here
  Result<std::string> artefact(const std::string& sha256) const;
  /// Stores the event, then hands it to the listener with its sequence number. The listener is called in the order of
  /// the numbers, one call at a time; it may query the store, but must not add events.
  Status add_event(const std::string& run, const std::string& layer, const EventBody&);
  void listen(std::function<void(const Event&)>);

  // queries
  Result<std::vector<RunRow>> runs(int limit) const;               ///< newest first
  Result<std::optional<RunRow>> run(const std::string& id) const;  ///< exact id, unique prefix, or "last"; Errc::usage if ambiguous
  Result<std::vector<LayerRow>> layers(const std::string& run) const;
  Result<std::vector<PlannedRow>> planned(const std::string& run) const;
  Result<std::vector<Judgement>> judgements(const std::string& run) const;  ///< the newest of each check, layer, host, subject
  Result<std::vector<Observation>> observations(const std::string& run, const std::string& layer, const std::string& check) const;
  Result<std::vector<SeriesRow>> series(const std::string& run) const;
  Result<std::vector<TookRow>> took(const std::string& run) const;
  Result<std::vector<CapabilityRow>> capabilities(const std::string& run) const;
  Result<std::vector<ArtefactRow>> artefacts(const std::string& run) const;
  Result<std::vector<Event>> events(const std::string& run, std::int64_t after_sequence) const;
  Result<std::vector<HistoryRow>> history(const std::string& check, int limit) const;  ///< newest first, across runs
  /// Newest end of a run in which `layer` of the same plan name and subject digest passed, at or after `since`: the run is
  /// real, ended and left no check out, the layer is done, nothing counts against it and something proves it.
  Result<std::optional<EpochMs>> passed(const std::string& plan, const std::string& layer, const std::string& subject_digest,
                                        EpochMs since) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

/// "20261120-103000-k3x9": sortable, unique.
std::string new_run_id(const Clock&);

}  // namespace vt
