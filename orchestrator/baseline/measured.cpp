#include "orchestrator/baseline/measured.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

LoadedMeasurements load_measurements(const std::string& path) {
  LoadedMeasurements out;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return out;
  auto file = yaml::read_file(path, out.problems);
  if (!file) return out;
  yaml::Fields fields(*file, "the file", {"vault-test-measured", "checks"}, out.problems);
  int version = 1;
  fields.need("vault-test-measured");
  fields.read("vault-test-measured", version, 1, 1);
  auto checks = fields.need("checks");
  if (!checks) return out;
  yaml::Fields map(*checks, "checks", {}, out.problems);
  for (auto& entry : checks->entries) {
    yaml::Fields row(entry.value, "a measurement", {"device", "date"}, out.problems);
    auto& last = out.last[entry.key];
    row.need("device");
    row.need("date");
    row.read("device", last.device);
    row.read("date", last.date, is_date, "a date such as 2026-11-20");
  }
  return out;
}

bool needs_a_gpu(const Check& check) {
  constexpr std::array<std::string_view, 3> parts{"gpu", "driver.", "lib."};
  auto ids = check.needs.ids();
  if (auto probe = std::get_if<ProbeRun>(&check.how)) ids.push_back(probe->fact);
  return std::any_of(ids.begin(), ids.end(),
                     [&](auto& id) { return std::any_of(parts.begin(), parts.end(), [&](auto part) { return id.starts_with(part); }); });
}

}  // namespace vt
