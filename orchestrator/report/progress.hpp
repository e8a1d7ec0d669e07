#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/event.hpp"
#include "orchestrator/report/layout.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// A layer as its events tell it.
struct LayerProgress {
  std::string name;
  LayerState state = LayerState::waiting;
  std::string detail, step;               ///< step: the check that runs now, with what it reports
  std::map<std::string, int> number, of;  ///< by host: position of the last check, and how many there are
  VerdictCounts counts;
  Money spent;
  EpochMs told = 0;  ///< when a line about a running check was last printed
  Money spent_told;  ///< what it had cost when a line last said so
  EpochMs spent_told_at = 0;
  [[nodiscard]] int done() const;
  [[nodiscard]] int total() const;
};

/// What all events so far add up to. Pure.
class ProgressState {
 public:
  /// The layer the event is about; nullptr if it is about the run as a whole.
  LayerProgress* apply(const Event&);
  [[nodiscard]] const std::vector<LayerProgress>& layers() const { return layers_; }

 private:
  LayerProgress& layer(const std::string& name);
  std::vector<LayerProgress> layers_;  ///< in the order they were first heard of
};

/// "41 pass, 1 warn, 22 skip"
std::string counts_text(const VerdictCounts&);
/// What must be said the moment it happens, whatever the display: a failure, a lost layer, a capability that is not as
/// predicted, something left behind. Empty for everything else.
std::string urgent_text(const Event&);

/// Events in, bytes out: no clock, no terminal.
class ProgressWriter {
 public:
  virtual ~ProgressWriter() = default;
  virtual std::string see(const Event&) = 0;
  virtual std::string close() { return {}; }  ///< what tidies up at the end
};

enum class ProgressMode { live, plain, json };
/// live: one line per layer, repainted in place. plain: one line per event worth reading. json: one line per event.
/// `rehearsal` marks the first two.
std::unique_ptr<ProgressWriter> make_progress(ProgressMode, const TextStyle&, bool rehearsal);

/// Connects a writer to Store::listen and a file descriptor or stream. Thread-safe.
class Progress {
 public:
  Progress(std::unique_ptr<ProgressWriter> writer, std::function<void(std::string_view)> out)
      : writer_(std::move(writer)), out_(std::move(out)) {}
  void see(const Event& e) {
    emit([&] { return writer_->see(e); });
  }
  void close() {
    emit([&] { return writer_->close(); });
  }

 private:
  template <class Make>
  void emit(Make make) {
    std::lock_guard lock(mutex_);
    if (auto bytes = make(); !bytes.empty()) out_(bytes);
  }
  std::mutex mutex_;
  std::unique_ptr<ProgressWriter> writer_;
  std::function<void(std::string_view)> out_;
};

}  // namespace vt
