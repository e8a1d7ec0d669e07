#include "providers/runpod/catalogue.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vt::runpod {

namespace {

/// The dearest GPU costs about $6; a list price above this is an error of somebody's.
constexpr Money kDearestGpu{100'000'000};
/// Container disk of a running pod costs $0.10 per GB and month (RunPod's documentation, billing page, as of 2026-11).
constexpr std::int64_t kDiskMicroPerGbMonth = 100'000;
constexpr std::int64_t kHoursPerMonth = 730;

Money disk_hourly(int gigabytes) { return {(kDiskMicroPerGbMonth * gigabytes + kHoursPerMonth - 1) / kHoursPerMonth}; }

const char* price_key(const std::string& cloud) { return cloud == "SECURE" ? "secure" : "community"; }

bool has_some(const Json& from) {
  auto level = json_text(from, "availability");
  return !level.empty() && level != "NONE";
}

}  // namespace

Catalogue::Entry Catalogue::entry_of(const Json& gpu, const std::string& cloud, int count) {
  Entry entry;
  auto price = json_usd(json_member(gpu, "price"), price_key(cloud));
  if (price && price->micro > 0 && *price <= kDearestGpu) entry.hourly = price;
  auto most = json_number(json_member(gpu, "maxCount"), price_key(cloud));
  entry.in_stock = has_some(gpu) && (!most || *most >= count);
  if (auto& centers = json_member(gpu, "dataCenters"); centers.is_array()) {
    entry.data_centers.emplace();
    for (auto& center : centers)
      if (has_some(center)) entry.data_centers->insert(json_text(center, "id"));
  }
  return entry;
}

Result<Catalogue> Catalogue::read(Api& api, const Wish& wish) {
  Catalogue out;
  for (auto& cloud : wish.clouds) {
    auto path = "catalog/gpus?include=AVAILABILITY&product=POD&count=" + std::to_string(wish.gpu_count) + "&cloud=" + cloud +
                (wish.min_cuda.empty() ? "" : "&minCudaVersion=" + wish.min_cuda);
    VT_TRY(Json body, api.get(path));
    auto& gpus = json_member(body, "gpus");
    if (!gpus.is_array()) return fail(Errc::transport, "the reply is no list of GPUs");
    auto& entries = out.clouds_[cloud];
    for (auto& gpu : gpus) entries[json_text(gpu, "id")] = entry_of(gpu, cloud, wish.gpu_count);
  }
  return out;
}

const Catalogue::Entry* Catalogue::find(const std::string& cloud, const std::string& gpu) const {
  auto entries = clouds_.find(cloud);
  if (entries == clouds_.end()) return nullptr;
  auto entry = entries->second.find(gpu);
  return entry == entries->second.end() ? nullptr : &entry->second;
}

bool Catalogue::knows(const std::string& gpu) const {
  return std::any_of(clouds_.begin(), clouds_.end(), [&](auto& cloud) { return cloud.second.contains(gpu); });
}

std::vector<std::string> Catalogue::gpus() const {
  std::set<std::string> names;
  for (auto& [cloud, entries] : clouds_)
    for (auto& [gpu, entry] : entries) names.insert(gpu);
  return {names.begin(), names.end()};
}

Candidate Catalogue::candidate(const Wish& wish, const std::string& gpu, const std::string& cloud, const std::string& data_center) const {
  Candidate c;
  c.text = (wish.gpu_count > 1 ? std::to_string(wish.gpu_count) + " x " : "") + gpu + ", " + cloud;
  if (!data_center.empty()) c.text += ", " + data_center;
  c.machine = gpu, c.market = cloud, c.zone = data_center;
  auto entry = find(cloud, gpu);
  c.price_known = entry && entry->hourly;
  if (c.price_known) c.hourly = Money{entry->hourly->micro * wish.gpu_count} + disk_hourly(wish.disk_gb);
  c.in_stock = entry && entry->in_stock && (data_center.empty() || !entry->data_centers || entry->data_centers->contains(data_center));
  return c;
}

std::vector<Candidate> Catalogue::candidates(const Wish& wish, EpochMs now) const {
  std::vector<std::string> anywhere{""};
  auto& centers = wish.data_centers.empty() ? anywhere : wish.data_centers;
  std::vector<Candidate> out;
  for (auto& gpu : wish.gpus)
    for (auto& cloud : wish.clouds)
      for (auto& center : centers) {
        out.push_back(candidate(wish, gpu, cloud, center));
        out.back().price_source = "RunPod's catalogue, " + utc_text(now);
      }
  return out;
}

}  // namespace vt::runpod
