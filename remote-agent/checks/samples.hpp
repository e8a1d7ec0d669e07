#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace vt::checks {

/// What repeated measurements of one figure say.
struct Spread {
  double median = 0;
  double cv = 0;  ///< standard deviation over mean
};

inline Spread spread(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  auto n = samples.size();
  double sum = 0, squares = 0;
  for (double x : samples) sum += x;
  double mean = sum / static_cast<double>(n);
  for (double x : samples) squares += (x - mean) * (x - mean);
  double median = n % 2 != 0 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {median, mean == 0 ? 0 : std::sqrt(squares / static_cast<double>(n)) / std::abs(mean)};
}

/// The sample that `part` of them do not exceed (nearest rank); 0 of none.
template <class T>
double percentile(std::vector<T> samples, double part) {
  if (samples.empty()) return 0;
  auto at = samples.begin() + std::lround(part * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace vt::checks
