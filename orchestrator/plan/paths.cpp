#include "orchestrator/plan/paths.hpp"

#include <filesystem>

#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/variables.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;
using yaml::Node;

class Paths {
 public:
  Paths(const std::map<std::string, std::string>& environment, Problems& problems) : environment_(environment), problems_(problems) {}

  void run(Node& plan) {
    if (auto subject = plan.find("subject")) fix(subject->find("git"));
    auto layers = plan.find("layers");
    if (!layers) return;
    for (auto& entry : layers->entries) layer(entry.value);
  }

 private:
  void layer(Node& node) {
    if (auto build = node.find("build")) fix(build->find("packer"));
    if (auto ansible = node.find("ansible")) fix(ansible->find("playbook"));
    fix(node.find("payload"));
    auto hosts = node.find("hosts");
    if (!hosts) return;
    for (auto& host : hosts->items) fix(host.find("identity")), fix(host.find("known-hosts"));
  }

  void fix(Node* path) {
    if (!path || path->kind != Node::Kind::scalar || path->open || path->text.empty()) return;
    fs::path base = fs::path(path->where.file).parent_path(), rest = path->text;
    if (path->text.substr(0, 2) == "~/") {
      auto home = environment_.find("HOME");
      if (home == environment_.end() || home->second.empty())
        return complain(problems_, path->where, "'~/' without a HOME in the environment; expected a path that needs none");
      base = home->second, rest = path->text.substr(2);
    }
    std::error_code failed;
    auto absolute = fs::absolute(base / rest, failed);
    if (failed) return complain(problems_, path->where, "cannot be made absolute: " + failed.message() + "; expected a path");
    path->text = absolute.lexically_normal().string();
    path->source = escape_variables(path->text);
  }

  const std::map<std::string, std::string>& environment_;
  Problems& problems_;
};

}  // namespace

void make_paths_absolute(Node& plan, const std::map<std::string, std::string>& environment, Problems& problems) {
  Paths(environment, problems).run(plan);
}

}  // namespace vt
