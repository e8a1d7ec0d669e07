#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/model/observation.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

/// Collects the metrics a check reports while it runs. Bounded: of a long series every second point goes whenever there are too
/// many; count, min, mean and max are of all of them.
class SeriesCollector {
 public:
  static constexpr std::size_t kMostPoints = 4096, kMostSeries = 256;
  /// A frame of the agent's, as text; anything but a metric is ignored. `ms` since the check began.
  void take(const std::string& frame, std::int64_t ms);
  /// What came, for the observation with that key.
  [[nodiscard]] std::vector<SeriesRow> rows(const ObservationKey&) const;

 private:
  struct Series {
    SeriesRow row;
    double sum = 0;
    std::uint64_t stride = 1;  ///< one point is kept of so many
  };
  std::map<std::string, Series> all_;
};

}  // namespace vt
