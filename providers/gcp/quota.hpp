#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "providers/gcp/wish.hpp"
#include "providers/provider.hpp"

namespace vt::gcp {

/// What a quota list says about one metric. Missing is its own answer: neither none nor enough.
struct Allowance {
  enum class Known { missing, enough, lacking } known = Known::missing;
  double limit = 0, usage = 0;
  std::string metric;
};
/// From the "quotas" of a region or of the project.
Allowance allowance(const nlohmann::json& quotas, const std::string& metric, int needed);

/// Whether the machines of the wish fit into a region's quotas on a market. Findings are warnings: other regions and markets
/// may do; `possible` is false if this one cannot.
struct QuotaVerdict {
  bool possible = true;
  std::vector<Finding> findings;
};
QuotaVerdict judge_region(const nlohmann::json& region, const Wish&, const std::string& market, int cpus_of_one);
/// The limit on GPUs over all regions, which stands in the project's quotas and nowhere else. Where it lacks, nothing helps.
QuotaVerdict judge_project(const nlohmann::json& project, const Wish&);

}  // namespace vt::gcp
