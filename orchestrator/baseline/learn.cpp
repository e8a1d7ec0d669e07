#include "orchestrator/baseline/learn.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

void numbers_in(const Value& value, std::vector<double>& out) {
  if (auto list = value.as<Value::List>())
    for (auto& item : *list) numbers_in(item, out);
  else if (auto whole = value.as<std::int64_t>()) out.push_back(static_cast<double>(*whole));
  else if (auto number = value.as<double>(); number && std::isfinite(*number)) out.push_back(*number);
}

/// "NVIDIA GeForce RTX 5090" -> "nvidia-geforce-rtx-5090"
std::string id_of(const std::string& gpu) {
  std::string out;
  for (unsigned char c : gpu)
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
    else if (!out.empty() && out.back() != '-') out += '-';
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.substr(0, 60);
}

GpuBaseline& baseline_for(const std::string& gpu, const std::string& run, std::vector<GpuBaseline>& all) {
  for (auto& known : all)
    if (known.names.front() == gpu) return known;
  all.push_back({id_of(gpu), {gpu}, {{"run", run}}, {}, ""});
  return all.back();
}

/// What the figures were reached with; of several hosts all that differ.
void add_facts(const Capabilities* host, std::map<std::string, std::string>& facts) {
  if (!host) return;
  for (auto& [id, fact] : host->all()) {
    bool tells = id == "driver.version" || id == "driver.modules" || id == "kernel.version" || id.starts_with("lib.");
    if (!tells || !fact.value || fact.value->is_null()) continue;
    auto& said = facts[id];
    auto text = fact.value->text();
    if (said.find(text) == std::string::npos) said += (said.empty() ? "" : "; ") + text;
  }
}

void take(const ValueSpec& spec, const Observation& seen, int here, const std::string& date, GpuBaseline& into) {
  std::vector<double> numbers;
  if (auto at = seen.values.find(spec.name); at != seen.values.end()) numbers_in(at->second, numbers);
  std::erase_if(numbers, [](double x) { return x <= 0; });
  if (numbers.empty()) return;
  auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  auto at = spec.baseline.find('@');
  Figure figure;
  figure.keys = {spec.baseline.substr(0, at)};
  figure.mib = at == std::string::npos ? 0 : std::atoi(spec.baseline.c_str() + at + 1);
  figure.gpus = spec.baseline.starts_with("nccl.") ? here : 0;  // collectives depend on how many take part
  figure.low = *low, figure.high = *high;
  figure.unit = spec.unit, figure.kind = Figure::Kind::learned, figure.sources = {into.facts["run"]}, figure.date = date;
  auto same = std::find_if(into.figures.begin(), into.figures.end(),
                           [&](auto& f) { return f.keys == figure.keys && f.mib == figure.mib && f.gpus == figure.gpus; });
  if (same == into.figures.end()) into.figures.push_back(figure);
  else same->low = std::min(same->low, figure.low), same->high = std::max(same->high, figure.high);
}

bool is_good(Verdict v) { return v == Verdict::pass || v == Verdict::warn || v == Verdict::info; }

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

std::string figure_yaml(const Figure& f) {
  auto number = [](double x) { return nlohmann::json(x).dump(); };
  std::string out = "  - {key: " + f.keys.front() + ", value: ";
  out += f.low == f.high ? number(f.low) : "[" + number(f.low) + ", " + number(f.high) + "]";
  out += ", unit: " + quoted(f.unit.empty() ? "1" : f.unit) + ", kind: " + std::string(name(f.kind)) + ", source: [" +
         quoted(f.sources.front()) + "], date: " + f.date;
  if (f.gpus) out += ", gpus: " + std::to_string(f.gpus);
  if (f.mib) out += ", mib: " + std::to_string(f.mib);
  return out + "}\n";
}

}  // namespace

Result<std::vector<GpuBaseline>> learn(const std::vector<Learnable>& results, const std::string& run, const std::string& date) {
  std::vector<GpuBaseline> out;
  for (auto& [check, seen, verdict, host] : results) {
    auto gpus = gpus_in(seen.device);
    bool fits = seen.origin == EvidenceOrigin::real && seen.device != "cpu" && gpus.size() == 1 && is_good(verdict);
    if (!fits || std::none_of(check->values.begin(), check->values.end(), [](auto& v) { return !v.baseline.empty(); })) continue;
    auto& [gpu, here] = *gpus.begin();
    auto& baseline = baseline_for(gpu, run, out);
    add_facts(host, baseline.facts);
    for (auto& spec : check->values)
      if (!spec.baseline.empty()) take(spec, seen, here, date, baseline);
  }
  std::erase_if(out, [](auto& baseline) { return baseline.figures.empty(); });
  if (out.empty())
    return fail(Errc::refused,
                "run " + run + " has no figure of a GPU to learn from: none was measured on real hardware by a check that did not fail");
  return out;
}

std::string baseline_yaml(const GpuBaseline& baseline) {
  std::string out = "# Figures of one's own hardware, made by `vault-test baseline learn`.\nvault-test-baseline: 1\nid: " + baseline.id +
                    "\nnames: [" + quoted(baseline.names.front()) + "]\nfacts:\n";
  for (auto& [key, value] : baseline.facts) out += "  " + key + ": " + quoted(value) + "\n";
  out += "figures:\n";
  for (auto& figure : baseline.figures) out += figure_yaml(figure);
  return out;
}

}  // namespace vt
