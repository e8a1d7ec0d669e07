#include "orchestrator/plan/include.hpp"

#include <algorithm>
#include <filesystem>

#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;
using yaml::Entry;
using yaml::Node;

constexpr std::size_t kDeepestInclude = 8, kMostFiles = 64;

/// Whether the maps below `key` merge, and how far down.
enum class Merge { replace, keys, layers, layer };

Merge merge_of(Merge level, const std::string& key) {
  if (level == Merge::layers) return Merge::layer;
  if (key == "expect" || key == "vars") return Merge::keys;
  return key == "layers" ? Merge::layers : Merge::replace;
}

/// Puts `over`'s entries over `base`'s. Merge::layer is used for the top level too: both have an `expect` to merge.
void merge(Node& base, Node over, Merge level) {
  for (Entry& entry : over.entries) {
    Node* old = base.find(entry.key);
    Merge below = level == Merge::keys ? Merge::replace : merge_of(level, entry.key);
    bool both_maps = old && old->kind == Node::Kind::map && entry.value.kind == Node::Kind::map;
    if (!old) base.entries.push_back(std::move(entry));
    else if (both_maps && below != Merge::replace) merge(*old, std::move(entry.value), below);
    else *old = std::move(entry.value);
  }
}

class IncludeReader {
 public:
  IncludeReader(std::vector<std::string>& files, Problems& problems) : files_(files), problems_(problems) {}

  std::optional<Node> read(const std::string& path) {
    files_.push_back(path);
    auto plan = yaml::read_file(path, problems_);
    if (!plan) return std::nullopt;
    if (plan->kind != Node::Kind::map) {
      complain(problems_, plan->where, "the file" + yaml::is_what(*plan) + "; expected a map of keys");
      return std::nullopt;
    }
    yaml::Fields fields(*plan, "the file", {}, problems_);
    int version = 1;
    if (fields.need("vault-test")) fields.read("vault-test", version, 1, 1);
    open_.push_back(identity(path));
    auto merged = under_its_includes(path, std::move(*plan));
    open_.pop_back();
    return merged;
  }

 private:
  static std::string identity(const std::string& path) {
    std::error_code failed;
    auto canonical = fs::canonical(path, failed);
    return failed ? path : canonical.string();
  }

  std::optional<Node> under_its_includes(const std::string& path, Node plan) {
    auto list = plan.find("include");
    if (!list) return plan;
    Node base;
    base.kind = Node::Kind::map;
    bool complete = true;
    for (auto item : yaml::scalars(*list, "a file name", problems_)) {
      auto included = read_one(path, *item);
      complete = complete && included;
      if (included) merge(base, std::move(*included), Merge::layer);
    }
    base.where = plan.where;
    plan.entries.erase(std::remove_if(plan.entries.begin(), plan.entries.end(), [](auto& e) { return e.key == "include"; }),
                       plan.entries.end());
    merge(base, std::move(plan), Merge::layer);
    if (!complete) return std::nullopt;
    return base;
  }

  std::optional<Node> read_one(const std::string& from, const Node& name) {
    auto refuse = [&](const std::string& what) {
      complain(problems_, name.where, "include " + in_quotes(name.text) + " " + what);
      return std::nullopt;
    };
    if (name.text.empty() || name.text.front() == '/' || name.text.front() == '~')
      return refuse("is not a relative path; expected a file relative to this one");
    auto path = (fs::path(from).parent_path() / name.text).lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), identity(path)) != open_.end()) return refuse("includes itself; expected no cycle");
    if (open_.size() >= kDeepestInclude) return refuse("is more than 8 files deep; expected fewer levels");
    if (files_.size() >= kMostFiles) return refuse("is one file too many; expected at most 64");
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return refuse("is not there; expected a file relative to this one");
    return read(path);
  }

  std::vector<std::string>& files_;
  Problems& problems_;
  std::vector<std::string> open_;  ///< the files being read, outermost first
};

}  // namespace

std::optional<Node> read_with_includes(const std::string& path, std::vector<std::string>& files, Problems& problems) {
  return IncludeReader(files, problems).read(path);
}

}  // namespace vt
