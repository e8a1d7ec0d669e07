#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "orchestrator/baseline/learn.hpp"
#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

namespace {

using nlohmann::json;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

json figure_json(const Figure& f) {
  auto ratio = [](const std::optional<double>& r) { return r ? json(*r) : json(); };
  return {{"keys", f.keys},       {"low", f.low},          {"high", f.high},        {"unit", f.unit},     {"kind", name(f.kind)},
          {"sources", f.sources}, {"date", f.date},        {"note", f.note},        {"gpus", f.gpus},     {"mib", f.mib},
          {"held", f.held},       {"warn", ratio(f.warn)}, {"fail", ratio(f.fail)}, {"max", ratio(f.max)}};
}

json gpu_json(const GpuBaseline& gpu) {
  json figures = json::array();
  for (auto& figure : gpu.figures) figures.push_back(figure_json(figure));
  return {{"id", gpu.id}, {"names", gpu.names}, {"facts", gpu.facts}, {"file", gpu.file}, {"figures", figures}};
}

std::string list_text(const std::vector<GpuBaseline>& gpus, const TextStyle& style) {
  Table table;
  for (auto& gpu : gpus)
    table.add({{gpu.id, Tone::strong},
               {join(gpu.names, ", ")},
               {std::to_string(gpu.figures.size()) + " figures", Tone::faint},
               {gpu.file, Tone::faint}});
  return table.text(style);
}

std::string limits_text(const Figure& f) {
  if (!f.held || (!f.warn && !f.fail && !f.max)) return "to be read only";
  std::vector<std::string> parts;
  if (f.warn) parts.push_back("warn < " + number_text(f.low * *f.warn));
  if (f.fail) parts.push_back("fail < " + number_text(f.low * *f.fail));
  if (f.max) parts.push_back("not believed > " + number_text(f.high * *f.max));
  return join(parts, ", ");
}

std::string gpu_text(const GpuBaseline& gpu, const Baselines& all, const TextStyle& style) {
  std::string out = join(gpu.names, ", ") + " (" + gpu.file + ")\n";
  for (auto& [key, value] : gpu.facts) out += wrapped(style, "  " + key + ": ", value);
  Table table;
  std::vector<std::string> used;
  for (auto& f : gpu.figures) {
    auto what = join(f.keys, ", ") + (f.gpus ? " on " + std::to_string(f.gpus) + " GPUs" : "") +
                (f.mib ? " @" + std::to_string(f.mib) + "MiB" : "");
    auto value = number_text(f.low) + (f.high > f.low ? " to " + number_text(f.high) : "") + " " + f.unit;
    table.add({{"  " + what, Tone::strong, false},
               {value, Tone::plain, false},
               {std::string(name(f.kind)), Tone::plain, false},
               {limits_text(f), Tone::plain, false},
               {join(f.sources, ", ") + ", " + f.date, Tone::faint, false}});
    for (auto& source : f.sources)
      if (std::find(used.begin(), used.end(), source) == used.end()) used.push_back(source);
  }
  out += table.text(style);
  for (auto& source : used)
    if (auto at = all.sources.find(source); at != all.sources.end())
      out += wrapped(style, "  " + source + " (" + at->second.grade + "): ", at->second.at);
  return out;
}

int show(const CommandLine& line) {
  auto all = read_baselines(line);
  if (!all) return refuse(all.error());
  auto wanted = lower(line.name);
  std::vector<GpuBaseline> chosen;
  for (auto& gpu : all->gpus)
    if (lower(gpu.id + " " + join(gpu.names, " ")).find(wanted) != std::string::npos) chosen.push_back(gpu);
  if (chosen.empty())
    return refuse(Error{Errc::usage, "no baseline for '" + line.name + "'; `vault-test baseline show` lists those there are"});
  if (line.json) {
    json out = json::array();
    for (auto& gpu : chosen) out.push_back(gpu_json(gpu));
    return print(out.dump(2, ' ', true, json::error_handler_t::replace) + "\n") ? 0 : 3;
  }
  TextStyle style{terminal_width(1), use_colour(line, 1)};
  if (wanted.empty()) return print(list_text(chosen, style)) ? 0 : 3;
  std::string out;
  for (auto& gpu : chosen) out += (out.empty() ? "" : "\n") + gpu_text(gpu, *all, style);
  return print(out) ? 0 : 3;
}

/// What a stored run has to learn from.
struct Lesson {
  RunRow run;
  Catalogue catalogue;
  std::map<std::string, Capabilities> hosts;  ///< by layer and host
  std::vector<Learnable> results;
};

std::string host_key(const std::string& layer, const std::string& host) { return layer + "\n" + host; }

Result<Lesson> read_lesson(const CommandLine& line) {
  SystemClock clock;
  Lesson out;
  VT_TRY(auto store, existing_store(line, clock));
  VT_TRY(auto row, store->run(line.name.empty() ? "last" : line.name));
  if (!row) return fail(Errc::usage, "no run '" + line.name + "'; see `vault-test runs`");
  out.run = *row;
  if (out.run.origin != EvidenceOrigin::real)
    return fail(Errc::refused, "run " + out.run.id + " is a rehearsal; a baseline is learned from real hardware");
  VT_TRY(std::string text, store->document(out.run.catalogue_hash));
  out.catalogue = parse_catalogue(text).catalogue;
  VT_TRY(auto facts, store->capabilities(out.run.id));
  for (auto& fact : facts) out.hosts[host_key(fact.layer, fact.host)].set(fact.fact);
  VT_TRY(auto judgements, store->judgements(out.run.id));
  for (auto& j : judgements) {
    auto check = out.catalogue.check(j.key.check);
    if (!check) continue;
    VT_TRY(auto seen, store->observations(out.run.id, j.key.layer, j.key.check));
    for (auto& o : seen)
      if (o.key.host == j.key.host && o.key.attempt == j.key.attempt && o.key.subject == j.key.subject)
        out.results.push_back({check, o, j.verdict, &out.hosts[host_key(j.key.layer, j.key.host)]});
  }
  return out;
}

Status write_one(const CommandLine& line, const GpuBaseline& baseline, bool only) {
  auto text = baseline_yaml(baseline);
  if (line.output == "-") return print(text) ? Status{} : Status(fail(Errc::storage, "cannot write"));
  if (!line.output.empty() && !only)
    return fail(Errc::usage, "the run has GPUs of several models; leave -o out, each gets a file of its own");
  auto path = line.output.empty() ? own_baselines(line) + "/" + baseline.id + ".yaml" : line.output;
  std::error_code ignored;  // what cannot be made cannot be written to either
  if (line.output.empty()) std::filesystem::create_directories(own_baselines(line), ignored);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail(Errc::storage, "cannot write " + path);
  if (!line.json)
    print("learned " + count_of(baseline.figures.size(), "figure") + " of " + baseline.names.front() + " from run " +
          baseline.facts.at("run") + "\nwritten to " + path + "\n");
  return {};
}

int learn_from_run(const CommandLine& line) {
  auto lesson = read_lesson(line);
  if (!lesson) return refuse(lesson.error());
  auto learned = learn(lesson->results, lesson->run.id, utc_text(lesson->run.started).substr(0, 10));
  if (!learned) return refuse(learned.error());
  json out = json::array();
  for (auto& baseline : *learned) {
    out.push_back(gpu_json(baseline));
    if (Status written = write_one(line, baseline, learned->size() == 1); !written) return refuse(written.error());
  }
  if (line.json && line.output != "-") return print(out.dump(2, ' ', true, json::error_handler_t::replace) + "\n") ? 0 : 3;
  return 0;
}

}  // namespace

int baseline_command(const CommandLine& line) { return line.action == "show" ? show(line) : learn_from_run(line); }

}  // namespace vt
