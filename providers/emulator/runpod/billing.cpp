#include <set>

#include "providers/emulator/runpod/api.hpp"

// GET /v2/billing/pods, from the books.
namespace vt::emulator::runpod {

namespace {

constexpr EpochMs kHour = 3'600'000, kDay = 24 * kHour;

EpochMs bucket_of(const std::string& name) { return name == "hour" ? kHour : name == "week" ? 7 * kDay : kDay; }

struct Window {
  std::string bucket = "day";
  EpochMs from = 0, to = 0;
};

std::optional<EpochMs> time_of(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return rest == nullptr ? std::nullopt : std::optional<EpochMs>(timegm(&parts) * 1000);
}

/// Snapped to whole buckets, as the API does. Months and years are told as days.
Refusal read_window(const Call& call, Window& window) {
  static const std::set<std::string> known{"hour", "day", "week", "month", "year"};
  if (auto name = call.param("bucketSize"); !name.empty()) window.bucket = name;
  if (!known.contains(window.bucket)) return problem(422, "Request validation failed.", {"$.bucketSize: unknown"});
  EpochMs size = bucket_of(window.bucket), now = Clock::wall();
  auto from = call.param("startTime"), to = call.param("endTime"), last = call.param("lastN");
  if (!last.empty() && !(from.empty() && to.empty())) return problem(400, "lastN and startTime/endTime are mutually exclusive");
  auto start = from.empty() ? std::optional(now - 30 * kDay) : time_of(from), end = to.empty() ? std::optional(now) : time_of(to);
  if (!start || !end) return problem(422, "Request validation failed.", {"$.startTime: not an RFC 3339 time"});
  if (!last.empty()) start = now - (std::strtol(last.c_str(), nullptr, 10) - 1) * size;
  window.from = *start / size * size, window.to = (*end + size - 1) / size * size;
  return std::nullopt;
}

/// Everything a pod cost in the bucket of its creation: emulated time may run so much faster that no other can be named.
json record_of(const json& thing, EpochMs size) {
  EpochMs start = thing["created"].get<EpochMs>() / size * size;
  auto total = thing["billed"].get<std::int64_t>();
  return {{"startTime", stamp(start)},
          {"endTime", stamp(start + size)},
          {"podId", thing["id"]},
          {"totalAmount", dollars(total)},
          {"gpuAmount", dollars(total)},
          {"cpuAmount", 0.0},
          {"diskAmount", 0.0}};
}

Reply pod_billing(Account& account, const Call& call) {
  Window window;
  if (auto refusal = read_window(call, window)) return *refusal;
  EpochMs size = bucket_of(window.bucket);
  std::string only = call.param("podId");
  json records = json::array();
  std::int64_t sum = 0;
  std::set<std::string> pods;
  for (auto& thing : account.world.books->things()) {
    auto created = thing["created"].get<EpochMs>();
    bool wanted = thing["provider"] == "runpod" && thing["kind"] == "pod" && (only.empty() || thing["id"] == only);
    if (!wanted || created < window.from || created >= window.to) continue;
    records.push_back(record_of(thing, size));
    sum += thing["billed"].get<std::int64_t>();
    pods.insert(thing["id"].get<std::string>());
  }
  json totals = {{"totalAmount", dollars(sum)}, {"gpuAmount", dollars(sum)}, {"cpuAmount", 0.0}, {"diskAmount", 0.0}};
  json query = {{"startTime", stamp(window.from)}, {"endTime", stamp(window.to)}, {"bucketSize", window.bucket}};
  query["podId"] = only.empty() ? json() : json(only);
  json metadata = {{"query", query}, {"recordCount", records.size()}, {"uniquePodCount", pods.size()}, {"totals", totals}};
  return json_reply({{"records", records}, {"metadata", metadata}});
}

}  // namespace

void add_billing(const std::shared_ptr<Account>& account) { route(account, "GET", "/v2/billing/pods", CallKind::get, pod_billing); }

}  // namespace vt::emulator::runpod
