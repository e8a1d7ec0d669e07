#include "orchestrator/plan/cycles.hpp"

#include <algorithm>

namespace vt {

namespace {

/// Depth-first search with a stack of its own: graphs come from files and may be long chains.
class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph) {}

  std::vector<std::vector<std::string>> run() {
    for (auto& [name, next] : graph_)
      if (!state_.count(name)) walk(name);
    return found_;
  }

 private:
  enum class State { on_path, done };

  void walk(const std::string& root) {
    enter(root);
    while (!path_.empty()) {
      auto& next = edges(path_.back());
      if (auto& at = next_.back(); at < next.size()) follow(next[at++]);
      else state_[path_.back()] = State::done, path_.pop_back(), next_.pop_back();
    }
  }
  void enter(const std::string& name) { state_[name] = State::on_path, path_.push_back(name), next_.push_back(0); }
  void follow(const std::string& name) {
    auto known = state_.find(name);
    if (known == state_.end()) return enter(name);
    if (known->second == State::done) return;
    found_.emplace_back(std::find(path_.begin(), path_.end(), name), path_.end());
    found_.back().push_back(name);
  }
  const std::vector<std::string>& edges(const std::string& name) {
    static const std::vector<std::string> none;
    auto at = graph_.find(name);
    return at == graph_.end() ? none : at->second;
  }

  const Graph& graph_;
  std::map<std::string, State> state_;
  std::vector<std::string> path_;
  std::vector<std::size_t> next_;  ///< per node of the path: the edge to follow next
  std::vector<std::vector<std::string>> found_;
};

}  // namespace

std::vector<std::vector<std::string>> cycles(const Graph& graph) { return Search(graph).run(); }

}  // namespace vt
