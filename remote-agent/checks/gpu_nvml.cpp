#include "remote-agent/checks/gpu_nvml.hpp"

#include <algorithm>

namespace vt::checks {

namespace {

using gpu::nvml::Functions, gpu::nvml::Nvml;
using nlohmann::json;

Result<Outcome> ask_all(const ReadGpu& read) {
  VT_TRY(auto nvml, Nvml::open());
  VT_TRY(auto gpus, nvml.gpus());
  if (gpus.empty()) return fail(Errc::not_found, "NVML lists no GPU");
  Outcome out;
  std::vector<std::pair<std::string, std::string>> known;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    auto at_fault = [&](const Error& error) { return fail(error.code, "GPU " + std::to_string(i) + ": " + error.what); };
    if (!gpus[i]) return at_fault(gpus[i].error());
    auto name = nvml.text(&Functions::nvmlDeviceGetName, *gpus[i]), uuid = nvml.text(&Functions::nvmlDeviceGetUUID, *gpus[i]);
    if (!name || !uuid) return at_fault((name ? uuid : name).error());
    auto row = read(nvml, *gpus[i]);
    if (!row) return at_fault(row.error());
    (*row)["gpu"] = *uuid;
    append_row(out.values, *row, i);
    known.emplace_back(*name, *uuid);
  }
  out.device = device_text(known);
  return out;
}

}  // namespace

void append_row(json& lists, const json& row, std::size_t before) {
  for (auto& [name, value] : row.items())
    if (!lists.contains(name)) lists[name] = json(before, nullptr);
  for (auto& [name, list] : lists.items()) list.push_back(row.contains(name) ? row[name] : json());
}

Outcome for_each_gpu(const ReadGpu& read) {
  auto out = ask_all(read);
  return out ? std::move(out).take() : Outcome{json::object(), "", out.error().what};
}

std::string device_text(const std::vector<std::pair<std::string, std::string>>& gpus) {
  std::string out;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    auto same = [&](auto& other) { return other.first == gpus[i].first; };
    if (std::any_of(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;  // told with the first of its name
    auto count = std::count_if(gpus.begin(), gpus.end(), same);
    std::string uuids;
    for (auto& other : gpus)
      if (same(other)) uuids += (uuids.empty() ? "" : ", ") + other.second;
    out += (out.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " x " : "") + gpus[i].first + " (" + uuids + ")";
  }
  return out;
}

}  // namespace vt::checks
