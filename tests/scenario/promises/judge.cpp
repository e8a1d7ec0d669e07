#include "judge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace vt::test {

using nlohmann::json;

namespace {

bool is_host(const json& thing) { return thing["kind"] == "instance" || thing["kind"] == "pod"; }

/// The largest number of them that existed together. One that ends in the millisecond in which another begins was not beside it.
int most_at_once(std::vector<std::pair<std::int64_t, int>> steps) {
  std::sort(steps.begin(), steps.end());
  int now = 0, most = 0;
  for (auto& [when, change] : steps) most = std::max(most, now += change);
  return most;
}

std::string token_of(const json& marks) {
  for (auto name : {"vt-token", "VT_TOKEN"})
    if (marks.contains(name)) return marks[name];
  return "";
}

bool is_create(const json& request) {
  std::string path = request["path"];
  return request["method"] == "POST" && (path.ends_with("/instances") || path.ends_with("/pods"));
}

void judge_requests(const json& requests, Judged& out) {
  std::map<std::string, int> taken;
  for (auto& request : requests) {
    if (!is_create(request)) continue;
    ++out.creates;
    if (request["status"] == 401 || request["status"] == 429) continue;
    out.repeated += ++taken[token_of(request["marks"])] > 1;
  }
}

}  // namespace

Judged judge(const json& things, const json& requests, const std::set<std::string>& ours) {
  Judged out;
  std::map<std::string, std::vector<std::pair<std::int64_t, int>>> steps;
  for (auto& thing : things) {
    bool gone = thing["gone"] != 0;
    if (thing["foreign"] == true && !ours.contains(thing["id"])) {
      out.foreign_gone += gone;
      continue;
    }
    if (!gone) ++out.alive, out.leaks += thing["kind"].get<std::string>() + " " + thing["name"].get<std::string>() + "\n";
    if (!is_host(thing)) continue;
    ++out.made;
    auto& its = steps[thing["provider"]];
    its.emplace_back(thing["created"], 1);
    if (gone) its.emplace_back(thing["gone"], -1);
  }
  for (auto& [provider, its] : steps) out.most[provider] = most_at_once(its);
  judge_requests(requests, out);
  return out;
}

}  // namespace vt::test
