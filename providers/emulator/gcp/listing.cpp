#include <algorithm>

#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

constexpr std::size_t kMostResults = 500;

struct Row {
  std::string scope, key;  ///< key orders and is what a page token names
  json body;
};

struct Page {
  std::vector<Row> rows;
  std::string next;
};

std::optional<Reply> filter_rows(const Call& call, std::vector<Row>& rows) {
  std::string filter = call.param("filter");
  bool understood = true;
  std::erase_if(rows, [&](const Row& row) {
    auto passed = passes(filter, row.body);
    understood = understood && passed.has_value();
    return !passed.value_or(false);
  });
  if (understood) return std::nullopt;
  return error(400, "invalid", "Invalid value for field 'filter': '" + filter + "'. Invalid list filter expression.");
}

/// A list that misses something: pages of one, for which a careful client asks on. Never one that cannot be told from a whole one.
std::size_t page_size(const Call& call) {
  if (call.faults.has(FaultKind::partial)) return 1;
  std::string most = call.param("maxResults");
  if (most.empty() || most.find_first_not_of("0123456789") != std::string::npos || most.size() > 4) return kMostResults;
  return std::clamp<std::size_t>(std::stoul(most), 1, kMostResults);
}

Page page_of(const Call& call, std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
  std::string after = call.param("pageToken");
  if (!after.empty()) std::erase_if(rows, [&](const Row& row) { return row.key <= unbase64(after); });  // also if that row is gone now
  Page page{std::move(rows), ""};
  std::size_t most = page_size(call);
  if (page.rows.size() <= most) return page;
  page.rows.resize(most);
  page.next = base64(page.rows.back().key);
  return page;
}

}  // namespace

Reply list_reply(const Call& call, const std::string& kind, const std::string& path, const std::vector<json>& bodies) {
  std::vector<Row> rows;
  for (auto& body : bodies) rows.push_back({"", body.value("name", ""), body});
  if (auto refusal = filter_rows(call, rows)) return *refusal;
  Page page = page_of(call, std::move(rows));
  json reply = {{"kind", "compute#" + kind}, {"id", path}, {"selfLink", call.base + "/compute/v1/" + path}};
  for (auto& row : page.rows) reply["items"].push_back(row.body);  // no rows: no items
  if (!page.next.empty()) reply["nextPageToken"] = page.next;
  return json_reply(reply);
}

Reply aggregated_reply(const Call& call, const std::string& kind, const std::string& path, const std::string& what,
                       const std::map<std::string, std::vector<json>>& by_zone) {
  bool partial = call.faults.has(FaultKind::partial);
  std::string dark = partial ? "zones/" + by_zone.begin()->first : "";  // a zone that could not be asked
  for (auto& [zone, bodies] : by_zone)
    if (partial && !bodies.empty()) dark = "zones/" + zone;
  if (partial && call.param("returnPartialSuccess") != "True" && call.param("returnPartialSuccess") != "true") return front_error(503);

  std::vector<Row> rows;
  for (auto& [zone, bodies] : by_zone)
    for (auto& body : bodies)
      if ("zones/" + zone != dark) rows.push_back({"zones/" + zone, zone + "/" + body.value("name", ""), body});
  if (auto refusal = filter_rows(call, rows)) return *refusal;
  Call whole = call;
  whole.faults = {};
  Page page = page_of(whole, std::move(rows));

  json items = json::object();
  for (auto& row : page.rows) items[row.scope][what].push_back(row.body);
  for (auto& [zone, bodies] : by_zone) {
    std::string scope = "zones/" + zone;
    if (items.contains(scope) || scope == dark) continue;
    json data = json::array({{{"key", "scope"}, {"value", scope}}});
    items[scope]["warning"] = {
        {"code", "NO_RESULTS_ON_PAGE"}, {"message", "There are no results for scope '" + scope + "' on this page."}, {"data", data}};
  }
  json reply = {{"kind", "compute#" + kind}, {"id", path}, {"selfLink", call.base + "/compute/v1/" + path}, {"items", items}};
  if (!page.next.empty()) reply["nextPageToken"] = page.next;
  if (!dark.empty()) reply["unreachables"] = json::array({dark});
  return json_reply(reply);
}

}  // namespace vt::emulator::gcp
