#include "providers/gcp/preflight.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "providers/gcp/candidates.hpp"
#include "providers/gcp/json.hpp"
#include "providers/gcp/quota.hpp"

namespace vt::gcp {

namespace {

using Kind = Finding::Kind;
using Weight = Finding::Weight;

constexpr EpochMs kMostSkew = 120'000;

Finding from_error(const Error& error, const std::string& about) {
  Finding finding{Kind::policy, Weight::stops, about + ": " + error.what, "see docs/setup-gcp.md"};
  switch (error.code) {
    case Errc::auth:
      finding.kind = Kind::auth;
      finding.remedy = "give the account the role of docs/setup-gcp.md, and enable the Compute Engine API and billing in the project";
      break;
    case Errc::transport:
    case Errc::timeout:
      finding.kind = Kind::network;
      finding.remedy = "see whether compute.googleapis.com can be reached from here";
      break;
    case Errc::not_found: finding.kind = Kind::not_found; break;
    default: break;
  }
  return finding;
}

class Preflight {
 public:
  Preflight(Api& api, const Wish& wish, std::string project) : api_(api), wish_(wish), project_(std::move(project)) {}

  std::vector<Finding> run(const std::string& prices) {
    if (look_at_project()) {
      look_at_zones();
      if (!cpus_.empty()) look_at_quotas();
      look_at_image();
      look_at_network();
    }
    look_at_prices(prices);
    return std::move(findings_);
  }

 private:
  [[nodiscard]] std::string in_project(const std::string& path) const { return "projects/" + encoded(project_) + path; }

  /// Each rules out one of `all` ways; while one remains they only warn.
  void add_alternatives(std::vector<Finding> ruled_out, std::size_t all) {
    for (auto& finding : ruled_out) {
      finding.weight = ruled_out.size() < all ? Weight::warns : Weight::stops;
      findings_.push_back(std::move(finding));
    }
  }

  /// False if nothing more can be learned.
  bool look_at_project() {
    auto reply = api_.send("GET", in_project(""));
    if (!reply) {
      findings_.push_back(from_error(reply.error().error, "Compute Engine cannot be asked"));
      return false;
    }
    look_at_clock(*reply);
    auto project = json_of(*reply);
    if (project) {
      project_facts_ = std::move(*project);
      return true;
    }
    findings_.push_back(from_error(project.error(), "project " + project_));
    if (project.error().code == Errc::not_found)
      findings_.back().remedy = "check `project` in the plan, and that the account may see it; " + findings_.back().remedy;
    return false;
  }

  /// Leases end by the clock: a wrong one here would end them early or late.
  void look_at_clock(const Reply& reply) {
    if (!reply.date) {
      findings_.push_back({Kind::policy, Weight::warns, "the clock of Google's server could not be read: its reply has no date",
                           "see that this machine's clock is right (NTP): the end of every lease depends on it"});
      return;
    }
    auto skew = api_.clock().wall() - *reply.date;
    if (std::llabs(skew) <= kMostSkew) return;
    findings_.push_back({Kind::policy, Weight::stops,
                         "this machine's clock is " + short_text(Duration{std::llabs(skew)}) + (skew < 0 ? " behind" : " ahead of") +
                             " Google's; expected at most " + short_text(Duration{kMostSkew}),
                         "set the clock, for example by installing chrony"});
  }

  /// Empty if the zone offers all of it; remembers the machine's vCPUs.
  Result<std::string> missing_in(const std::string& zone) {
    auto machine = api_.get(zonal(project_, zone, "machineTypes", wish_.machine.name));
    if (!machine && machine.error().code == Errc::not_found) return zone + " does not offer " + wish_.machine.name;
    if (!machine) return fail(machine.error());
    for (auto& accelerator : wish_.accelerators) {
      auto found = api_.get(zonal(project_, zone, "acceleratorTypes", accelerator.type));
      if (!found && found.error().code == Errc::not_found) return zone + " does not offer " + accelerator.type;
      if (!found) return fail(found.error());
    }
    cpus_[zone] = static_cast<int>(number_of(*machine, "guestCpus"));
    return std::string();
  }

  void look_at_zones() {
    std::vector<Finding> ruled_out;
    for (auto& zone : wish_.zones) {
      auto missing = missing_in(zone);
      if (!missing) ruled_out.push_back(from_error(missing.error(), "zone " + zone));
      else if (!missing->empty())
        ruled_out.push_back({Kind::not_found, Weight::warns, *missing,
                             "choose among the zones of `gcloud compute machine-types list --filter=name=" + wish_.machine.name + "`"});
    }
    add_alternatives(std::move(ruled_out), wish_.zones.size());
  }

  [[nodiscard]] std::map<std::string, int> regions() const {
    std::map<std::string, int> cpus;
    for (auto& [zone, count] : cpus_) cpus[region_of(zone)] = count;
    return cpus;
  }

  void look_at_quotas() {
    auto project = judge_project(project_facts_, wish_);
    findings_.insert(findings_.end(), project.findings.begin(), project.findings.end());
    std::set<std::string> possible;  // markets
    std::vector<Finding> found;
    for (auto& [region, cpus] : regions()) {
      auto facts = api_.get(in_project("/regions/" + encoded(region)));
      if (!facts) {
        found.push_back(from_error(facts.error(), "region " + region));
        continue;
      }
      for (auto& market : wish_.markets) {
        auto verdict = judge_region(*facts, wish_, market, cpus);
        found.insert(found.end(), verdict.findings.begin(), verdict.findings.end());
        if (verdict.possible) possible.insert(market);
      }
    }
    add_quota_findings(found, possible);
  }

  void add_quota_findings(std::vector<Finding>& found, const std::set<std::string>& possible) {
    std::set<std::string> said;  // both markets can lack the same vCPUs
    for (auto& finding : found) {
      finding.weight = possible.empty() ? Weight::stops : Weight::warns;
      if (said.insert(finding.what).second) findings_.push_back(finding);
    }
    if (possible.empty() || possible.size() == wish_.markets.size()) return;
    findings_.push_back({Kind::region_quota, Weight::warns,
                         (possible.contains("spot") ? "on-demand" : "spot") + std::string(" is not possible in any zone of the plan, ") +
                             *possible.begin() + " is what will be used",
                         "nothing, or raise the quota above"});
  }

  void look_at_image() {
    auto image = api_.get(wish_.image);
    if (image) return;
    findings_.push_back(from_error(image.error(), "image " + wish_.image));
    if (image.error().code == Errc::not_found) {
      findings_.back().kind = Kind::policy;  // missing in every zone
      findings_.back().remedy = "`gcloud compute images list` shows names and families";
    }
  }

  void look_at_network() {
    std::vector<std::string> paths;
    if (!wish_.network.empty()) paths.push_back("/global/networks/" + encoded(wish_.network));
    if (!wish_.subnetwork.empty())
      for (auto& [region, cpus] : regions()) paths.push_back("/regions/" + region + "/subnetworks/" + encoded(wish_.subnetwork));
    std::vector<Finding> ruled_out;
    for (auto& path : paths)
      if (auto found = api_.get(in_project(path)); !found) {
        ruled_out.push_back(from_error(found.error(), path.substr(1)));
        ruled_out.back().remedy = "name an existing one as `network` or `subnetwork`; a project made by script has none";
      }
    add_alternatives(std::move(ruled_out), paths.size());
  }

  void look_at_prices(const std::string& prices) {
    auto book = read_prices(prices);
    std::vector<Finding> ruled_out;
    auto all = candidates_of(wish_, book);
    for (auto& candidate : all)
      if (!candidate.price_known)
        ruled_out.push_back({Kind::price, Weight::warns,
                             "no price is known for " + candidate.text + (book ? "" : " (" + book.error().what + ")"),
                             "add it with its source to " + prices + "/gcp.yaml: machine, disk type and address"});
    add_alternatives(std::move(ruled_out), all.size());
  }

  Api& api_;
  const Wish& wish_;
  std::string project_;
  Json project_facts_;
  std::map<std::string, int> cpus_;  ///< zones that offer the machine, with its vCPUs
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> preflight(Api& api, const Wish& wish, const std::string& project, const std::string& prices) {
  return Preflight(api, wish, project).run(prices);
}

}  // namespace vt::gcp
