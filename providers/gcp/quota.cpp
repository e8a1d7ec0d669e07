#include "providers/gcp/quota.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "providers/gcp/json.hpp"

namespace vt::gcp {

namespace {

using Known = Allowance::Known;
using Kind = Finding::Kind;

std::string count(double number) { return std::to_string(static_cast<long long>(number)); }

/// "NVIDIA_L4_GPUS in us-central1: 1 of 1 in use, 1 more needed"
std::string sentence(const Allowance& a, const std::string& where, int needed) {
  return a.metric + " " + where + ": " + count(a.usage) + " of " + count(a.limit) + " in use, " + std::to_string(needed) + " more needed";
}

/// A limit that only an earlier machine of ours fills is no reason to ask Google for more.
std::string remedy(const Allowance& a) {
  if (a.usage >= 1)
    return "an earlier machine may still count: see `vault-test resources` and wait until it is confirmed gone; else raise " + a.metric;
  return "ask for " + a.metric + " on the console's page Quotas & System Limits";
}

Finding lacking(const Allowance& a, const std::string& where, int needed, Kind kind) {
  return {kind, Finding::Weight::warns, sentence(a, where, needed), remedy(a), a.limit >= needed};
}

Finding unknown(const std::string& metric, const std::string& where) {
  return {Kind::region_quota, Finding::Weight::warns,
          "unknown whether " + metric + " " + where + " is enough: Compute Engine does not list it",
          "look it up on the console's page Quotas & System Limits"};
}

/// Of all machines of the layer, which run side by side.
int gpus_needed(const Wish& wish) { return std::max(wish.gpus(), 1) * wish.count; }

/// On demand, a GPU machine with a time limit below seven days may draw on the preemptible quota too; all of ours have one.
QuotaVerdict judge_gpus(const Json& quotas, const Wish& wish, const std::string& market, const std::string& where) {
  int needed = gpus_needed(wish);
  auto standard = allowance(quotas, wish.gpu_metric(), needed);
  auto preemptible = allowance(quotas, "PREEMPTIBLE_" + wish.gpu_metric(), needed);
  auto& own = market == "spot" ? preemptible : standard;
  if (own.known == Known::enough) return {};
  if (own.known == Known::missing) return {true, {unknown(own.metric, where)}};
  auto finding = lacking(own, where, needed, Kind::region_quota);
  if (market == "spot") {
    finding.what += ", so spot is not possible there";
    return {false, {finding}};
  }
  if (preemptible.known != Known::enough) return {false, {finding}};
  finding.what += "; " + preemptible.metric + " has room, which a machine with a time limit may draw on";
  return {true, {finding}};
}

}  // namespace

Allowance allowance(const Json& quotas, const std::string& metric, int needed) {
  Allowance found;
  found.metric = metric;
  for (auto& quota : quotas) {
    if (text_of(quota, "metric") != metric) continue;
    found.limit = number_of(quota, "limit");
    found.usage = number_of(quota, "usage");
    found.known = found.limit - found.usage >= needed ? Known::enough : Known::lacking;
  }
  return found;
}

QuotaVerdict judge_region(const Json& region, const Wish& wish, const std::string& market, int cpus_of_one) {
  int cpus = cpus_of_one * wish.count;
  auto where = "in " + text_of(region, "name");
  auto& quotas = member(region, "quotas");
  QuotaVerdict verdict;
  if (!wish.gpu_metric().empty()) verdict = judge_gpus(quotas, wish, market, where);
  if (wish.machine.cpu_metric.empty()) return verdict;
  auto own = allowance(quotas, wish.machine.cpu_metric, cpus);
  if (own.known == Known::missing) verdict.findings.push_back(unknown(own.metric, where));
  if (own.known != Known::lacking) return verdict;
  verdict.possible = false;
  verdict.findings.push_back(lacking(own, where, cpus, Kind::region_quota));
  return verdict;
}

QuotaVerdict judge_project(const Json& project, const Wish& wish) {
  if (wish.gpu_metric().empty()) return {};
  int needed = gpus_needed(wish);
  auto all = allowance(member(project, "quotas"), "GPUS_ALL_REGIONS", needed);
  if (all.known == Known::enough) return {};
  if (all.known == Known::missing) return {true, {unknown(all.metric, "of the project")}};
  auto finding = lacking(all, "of the project", needed, Kind::quota);
  finding.weight = Finding::Weight::stops;
  return {false, {finding}};
}

}  // namespace vt::gcp
