#include "orchestrator/engine/series.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 100;

std::string text_in(const json& frame, const char* key) {
  auto at = frame.find(key);
  return at != frame.end() && at->is_string() ? cut_text(at->get<std::string>(), kLongestName) : "";
}

void drop_every_second(std::vector<SeriesRow::Point>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
}

}  // namespace

void SeriesCollector::take(const std::string& frame, std::int64_t ms) {
  auto parsed = protocol::parse_untrusted(frame);
  if (!parsed.is_object() || text_in(parsed, "t") != "metric") return;
  auto value = parsed.find("value");
  auto name = text_in(parsed, "name"), device = text_in(parsed, "device");
  if (name.empty() || value == parsed.end() || !value->is_number() || !std::isfinite(value->get<double>())) return;
  auto key = device + "\n" + name;
  if (all_.size() >= kMostSeries && !all_.contains(key)) return;
  auto& [row, sum, stride] = all_[key];
  double x = value->get<double>();
  if (row.count == 0) row.name = name, row.device = device, row.unit = text_in(parsed, "unit"), row.min = row.max = x;
  row.min = std::min(row.min, x), row.max = std::max(row.max, x);
  sum += x;
  if (row.count++ % stride == 0) row.points.push_back({ms, x});
  if (row.points.size() >= kMostPoints) drop_every_second(row.points), stride *= 2;
  row.mean = sum / static_cast<double>(row.count);
}

std::vector<SeriesRow> SeriesCollector::rows(const ObservationKey& key) const {
  std::vector<SeriesRow> out;
  for (auto& [id, series] : all_) {
    out.push_back(series.row);
    auto& row = out.back();
    row.run = key.run, row.layer = key.layer, row.host = key.host, row.check = key.check, row.attempt = key.attempt;
  }
  return out;
}

}  // namespace vt
