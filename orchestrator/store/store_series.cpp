#include <nlohmann/json.hpp>

#include "orchestrator/store/codec.hpp"
#include "orchestrator/store/store_impl.hpp"

namespace vt {

namespace {

using nlohmann::json;

/// [milliseconds, value] each.
std::string points_text(const std::vector<SeriesRow::Point>& points) {
  auto out = json::array();
  for (auto& point : points) out.push_back({point.ms, point.value});
  return json_text(out);
}

std::vector<SeriesRow::Point> points_from(const std::string& text) {
  std::vector<SeriesRow::Point> out;
  auto parsed = json::parse(text, nullptr, false);
  for (auto& point : parsed)
    if (point.is_array() && point.size() == 2 && point[0].is_number_integer() && point[1].is_number())
      out.push_back({point[0].get<std::int64_t>(), point[1].get<double>()});
  return out;
}

/// Numbers as JSON writes them: shortest form that reads back the same.
std::string number_text(double value) { return json(value).dump(); }

double number_from(const std::string& text) {
  auto parsed = json::parse(text, nullptr, false);
  return parsed.is_number() ? parsed.get<double>() : 0;
}

SeriesRow read_series(Row& r) {
  SeriesRow row;
  row.run = r.text(), row.layer = r.text(), row.host = r.text(), row.check = r.text(), row.attempt = r.integer();
  row.name = r.text(), row.unit = r.text(), row.device = r.text(), row.count = static_cast<std::uint64_t>(r.number());
  row.min = number_from(r.text()), row.mean = number_from(r.text()), row.max = number_from(r.text());
  row.points = points_from(r.text()), row.started = r.number();
  return row;
}

Status insert(Database& db, const SeriesRow& s) {
  VT_TRY([[maybe_unused]] int added,
         db.run("INSERT INTO series (run, layer, host, check_id, attempt, name, unit, device, count, min, mean, max, points)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                {s.run, s.layer, s.host, s.check, s.attempt, s.name, s.unit, s.device, s.count, number_text(s.min), number_text(s.mean),
                 number_text(s.max), points_text(s.points)}));
  return {};
}

}  // namespace

Status Store::add_series(const std::vector<SeriesRow>& rows) {
  if (rows.empty()) return {};
  return impl_->write([&]() -> Status {
    for (auto& s : rows) VT_CHECK(insert(*impl_->db, s));
    return {};
  });
}

Result<std::vector<SeriesRow>> Store::series(const std::string& run) const {
  return impl_->rows<SeriesRow>(
      "SELECT run, layer, host, check_id, attempt, name, unit, device, count, min, mean, max, points,"
      " (SELECT coalesce(max(o.started), 0) FROM observation o WHERE o.run = s.run AND o.layer = s.layer AND o.host = s.host"
      " AND o.check_id = s.check_id AND o.attempt = s.attempt) FROM series s WHERE run = ? ORDER BY id",
      {run}, read_series);
}

}  // namespace vt
