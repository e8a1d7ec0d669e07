#include "orchestrator/baseline/load.hpp"

#include <algorithm>
#include <filesystem>

#include "orchestrator/baseline/figure_reader.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;
using yaml::Fields;
using yaml::Node;

std::vector<std::string> yaml_files(const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  for (auto& folder : folders) {
    std::vector<std::string> files;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
      if (at->path().extension() == ".yaml") files.push_back(at->path().string());
    std::sort(files.begin(), files.end());
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

void read_sources(const Node& node, Baselines& out, Problems& problems) {
  Fields all(node, "sources", {}, problems);
  for (auto& entry : node.entries) {
    Fields fields(entry.value, "a source", {"grade", "at", "note"}, problems);
    auto& source = out.sources[entry.key];
    fields.need("grade");
    fields.need("at");
    fields.read("grade", source.grade);
    fields.read("at", source.at);
    fields.read("note", source.note);
  }
}

void read_rules(const Node& node, Baselines& out, Problems& problems) {
  if (node.kind != Node::Kind::list) return complain(problems, node.where, "rules" + yaml::is_what(node) + "; expected a list");
  for (auto& item : node.items) out.rules.push_back(read_rule(item, problems));
}

void read_common(const Node& file, Baselines& out, Problems& problems) {
  Fields fields(file, "the file", {"vault-test-baseline-common", "sources", "rules"}, problems);
  int version = 1;
  fields.read("vault-test-baseline-common", version, 1, 1);
  if (auto sources = fields.need("sources")) read_sources(*sources, out, problems);
  if (auto rules = fields.need("rules")) read_rules(*rules, out, problems);
}

void read_gpu(const Node& file, const std::string& name, Baselines& out, Problems& problems) {
  Fields fields(file, "a baseline", {"vault-test-baseline", "id", "names", "facts", "figures"}, problems);
  int version = 1;
  GpuBaseline gpu;
  gpu.file = name;
  fields.read("vault-test-baseline", version, 1, 1);
  for (auto key : {"id", "names"}) fields.need(key);
  fields.read("id", gpu.id, is_plain_name, "[a-z0-9][a-z0-9._-]{0,62}");
  fields.read("names", gpu.names);
  if (auto facts = fields.find("facts")) {
    Fields map(*facts, "facts", {}, problems);
    for (auto& entry : facts->entries) gpu.facts[entry.key] = yaml::scalar(entry.value, "text", problems);
  }
  auto figures = fields.need("figures");
  if (figures && figures->kind != Node::Kind::list)
    complain(problems, figures->where, "figures" + yaml::is_what(*figures) + "; expected a list");
  if (figures)
    for (auto& item : figures->items) {
      gpu.figures.push_back(read_figure(item, problems));
      gpu.figures.back().file = name;
    }
  out.gpus.push_back(std::move(gpu));
}

/// Figures without ratios of their own take those of the first rule for all of their keys.
void apply_rules(Baselines& all) {
  for (auto& gpu : all.gpus)
    for (auto& figure : gpu.figures) {
      if (!figure.held) continue;
      auto rule = std::find_if(all.rules.begin(), all.rules.end(), [&](const BaselineRule& r) {
        auto matches = [&](auto& key) { return glob_match(r.keys, key); };
        return r.kind == figure.kind && std::all_of(figure.keys.begin(), figure.keys.end(), matches);
      });
      if (rule == all.rules.end()) continue;
      if (!figure.warn && !figure.fail) figure.warn = rule->warn, figure.fail = rule->fail;
      if (!figure.max) figure.max = rule->max;
    }
}

}  // namespace

LoadedBaselines load_baselines(const std::vector<std::string>& folders) {
  LoadedBaselines out;
  auto files = yaml_files(folders);
  for (auto& path : files) {
    auto file = yaml::read_file(path, out.problems);
    if (!file) continue;
    auto name = fs::path(path).filename().string();
    if (file->kind == Node::Kind::map && file->find("vault-test-baseline-common")) read_common(*file, out.baselines, out.problems);
    else if (file->kind == Node::Kind::map && file->find("vault-test-baseline")) read_gpu(*file, name, out.baselines, out.problems);
    else complain(out.problems, file->where, "no baseline; expected the key vault-test-baseline: 1 or vault-test-baseline-common: 1");
  }
  apply_rules(out.baselines);
  sort_problems(out.problems, files);
  return out;
}

}  // namespace vt
