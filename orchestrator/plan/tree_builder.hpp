#pragma once
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orchestrator/plan/node.hpp"

namespace vt::yaml {

/// Builds our nodes from yaml-cpp's events, so that no tree exists before the limits have been checked. Used by yaml_reader.cpp only.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& file, Problems& problems) : text_(text), file_(file), problems_(problems) {}
  Node take() { return std::move(root_); }
  [[nodiscard]] int documents() const { return documents_; }
  [[nodiscard]] bool stopped() const { return stopped_; }  ///< a limit was hit: the nodes are incomplete
  [[nodiscard]] SourceLocation where(const YAML::Mark&) const;

  void OnDocumentStart(const YAML::Mark&) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override;
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override;
  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t, const std::string& value) override;
  void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnMapEnd() override { close(); }

 private:
  struct Open {  ///< a list or map whose end has not come yet
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<Node> key = {};                     ///< map: waits for its value
    bool refused = false;                             ///< that key is, so its value is dropped
    std::unordered_map<std::string, int> lines = {};  ///< map: line of each key so far
  };
  struct Anchored {
    std::optional<Node> node;  ///< empty while it is still open
    std::size_t nodes = 1, height = 1;
  };
  bool enter(const SourceLocation&, std::size_t nodes, std::size_t height);
  void open(const YAML::Mark&, Node::Kind, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value);
  void close();
  void place(Node);
  void place_in_map(Open&, Node);
  bool accept_key(Open&, const Node&);
  void remember(YAML::anchor_t, const Node&);
  void stop(const SourceLocation&, const std::string& what);
  bool refuse_tag(const YAML::Mark&, const std::string& tag);
  [[nodiscard]] bool tag_written_at(std::size_t offset) const;

  std::string_view text_;
  std::string file_;
  Problems& problems_;
  Node root_;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  bool stopped_ = false;  ///< a limit was hit: the rest of the events is ignored
};

}  // namespace vt::yaml
