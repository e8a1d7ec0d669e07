#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "orchestrator/plan/catalogue_reader.hpp"
#include "orchestrator/plan/load.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;

struct Part {
  std::string name, text;
};

constexpr std::string_view kHeader = "#file ";  ///< "#file NAME BYTES\n", the bytes, "\n"

/// What to show to the user before a part's name, and the parts.
LoadedCatalogue read_parts(const std::string& folder, const std::vector<Part>& parts, Problems problems) {
  LoadedCatalogue out;
  std::vector<std::string> files;
  for (auto& part : parts) {
    files.push_back(folder + part.name);
    out.text += std::string(kHeader) + part.name + " " + std::to_string(part.text.size()) + "\n" + part.text + "\n";
    if (auto tree = yaml::read_text(part.text, files.back(), problems)) read_catalogue_file(*tree, out.catalogue, problems);
  }
  check_catalogue(out.catalogue, problems);
  sort_problems(problems, files);
  out.problems = std::move(problems);
  return out;
}

/// The names of the *.yaml files in one sub-folder, sorted.
std::vector<std::string> yaml_files(const fs::path& folder, const std::string& below) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder / below, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".yaml") names.push_back(below + "/" + at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The next part of a multi-part text, which it is cut from; empty name if there is none.
Part next_part(std::string_view& text) {
  auto line = text.substr(0, text.find('\n'));
  auto space = line.rfind(' ');
  if (line.substr(0, kHeader.size()) != kHeader || space < kHeader.size()) return {};
  auto size = parse_count(line.substr(space + 1), yaml::kLargestFile);
  if (!size || text.size() < line.size() + 2 + static_cast<std::size_t>(*size)) return {};
  Part part{std::string(line.substr(kHeader.size(), space - kHeader.size())),
            std::string(text.substr(line.size() + 1, static_cast<std::size_t>(*size)))};
  text.remove_prefix(line.size() + 2 + part.text.size());
  return part;
}

}  // namespace

LoadedCatalogue load_catalogue(const std::string& folder) {
  Problems problems;
  std::vector<Part> parts;
  std::string prefix = folder.empty() || folder.back() == '/' ? folder : folder + "/";
  for (const char* below : {"checks", "suites"})
    for (auto& name : yaml_files(folder, below))
      if (auto text = yaml::read_bytes(prefix + name, problems)) parts.push_back({name, std::move(*text)});
  if (parts.empty() && problems.empty()) complain(problems, {folder, 0, 0}, "no catalogue here; expected checks/*.yaml and suites/*.yaml");
  return read_parts(prefix, parts, std::move(problems));
}

LoadedCatalogue parse_catalogue(const std::string& text) {
  Problems problems;
  std::vector<Part> parts;
  for (std::string_view rest = text; !rest.empty();) {
    auto part = next_part(rest);
    if (part.name.empty()) {
      complain(problems, {"catalogue", 0, 0}, "not a stored catalogue; expected '#file NAME BYTES' before each file");
      break;
    }
    parts.push_back(std::move(part));
  }
  return read_parts("", parts, std::move(problems));
}

std::string default_catalogue_folder() {
  if (auto set = std::getenv("VAULT_TEST_CATALOGUE"); set && *set) return set;
  std::error_code failed;
  auto program = fs::read_symlink("/proc/self/exe", failed);
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::is_directory(folder / "plans/checks", failed)) return (folder / "plans").string();
  return (program.parent_path().parent_path() / "share/vault-test/plans").string();
}

}  // namespace vt
