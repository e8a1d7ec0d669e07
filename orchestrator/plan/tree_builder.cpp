#include "orchestrator/plan/tree_builder.hpp"

#include <algorithm>

#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/utf8.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt::yaml {

namespace {

struct Size {
  std::size_t nodes = 1, height = 1;
  void add(const Size& child) { nodes += child.nodes, height = std::max(height, child.height + 1); }
};

Size size_of(const Node& node) {
  Size size;
  for (auto& item : node.items) size.add(size_of(item));
  for (auto& entry : node.entries) ++size.nodes, size.add(size_of(entry.value));
  return size;
}

}  // namespace

SourceLocation TreeBuilder::where(const YAML::Mark& mark) const {
  if (mark.is_null()) return {file_, 0, 0};
  auto end = std::min(static_cast<std::size_t>(mark.pos), text_.size());
  auto start = end - std::min(end, static_cast<std::size_t>(mark.column));
  return {file_, mark.line + 1, length_in_characters(text_.substr(start, end - start)) + 1};
}

void TreeBuilder::stop(const SourceLocation& at, const std::string& what) {
  complain(problems_, at, what);
  stopped_ = true;
}

/// Counts `nodes` more nodes of that height at the present depth; false once a limit is passed.
bool TreeBuilder::enter(const SourceLocation& at, std::size_t nodes, std::size_t height) {
  if (stopped_) return false;
  nodes_ += nodes;
  if (nodes_ > kMostNodes) stop(at, "more than " + std::to_string(kMostNodes) + " nodes with aliases expanded; expected a smaller file");
  else if (stack_.size() + height > kDeepest)
    stop(at, "nested more than " + std::to_string(kDeepest) + " levels deep; expected a flatter file");
  return !stopped_;
}

bool TreeBuilder::tag_written_at(std::size_t offset) const {
  while (offset < text_.size() && text_[offset] == '&') {  // an anchor may come first
    offset = text_.find_first_of(" \t\r\n", offset);
    offset = offset == std::string_view::npos ? text_.size() : text_.find_first_not_of(" \t\r\n", offset);
  }
  return offset < text_.size() && text_[offset] == '!';
}

/// yaml-cpp reports "?" for no tag, and "!" both for a quoted scalar and for a written "!".
bool TreeBuilder::refuse_tag(const YAML::Mark& mark, const std::string& tag) {
  bool untagged = tag.empty() || tag == "?" || tag == "!";
  if (stopped_ || (untagged && !(mark.pos >= 0 && tag_written_at(static_cast<std::size_t>(mark.pos))))) return false;
  complain(problems_, where(mark), "tag " + in_quotes(untagged ? "!" : tag) + " is not allowed; expected a plain value");
  return true;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 2) stop(where(mark), "a second document; expected exactly one in a file");
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (!enter(where(mark), 1, 1)) return;
  Node node;
  node.where = where(mark);
  node.open = refuse_tag(mark, "");
  remember(anchor, node);
  place(std::move(node));
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) {
  if (!enter(where(mark), 1, 1)) return;
  Node node;
  node.kind = Node::Kind::scalar;
  node.where = where(mark);
  node.open = refuse_tag(mark, tag);
  node.text = value;
  node.plain = tag != "!";
  remember(anchor, node);
  place(std::move(node));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (stopped_) return;
  auto found = anchors_.find(anchor);
  if (found == anchors_.end() || !found->second.node) return stop(where(mark), "an alias inside its own anchor; expected no cycle");
  if (enter(where(mark), found->second.nodes, found->second.height)) place(*found->second.node);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  open(mark, Node::Kind::list, tag, anchor, style);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  open(mark, Node::Kind::map, tag, anchor, style);
}

void TreeBuilder::open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) {
  if (!enter(where(mark), 1, 1)) return;
  refuse_tag(mark, tag);
  if (anchor != 0) anchors_[anchor] = {};
  Node node;
  node.kind = kind;
  bool below_key = style == YAML::EmitterStyle::Block && !stack_.empty() && stack_.back().key;
  node.where = below_key ? stack_.back().key->where : where(mark);  // where a reader looks, not at its first child
  stack_.push_back({std::move(node), anchor});
}

void TreeBuilder::close() {
  if (stopped_) return;
  Open done = std::move(stack_.back());
  stack_.pop_back();
  remember(done.anchor, done.node);
  place(std::move(done.node));
}

void TreeBuilder::remember(YAML::anchor_t anchor, const Node& node) {
  if (anchor == 0) return;
  auto size = size_of(node);
  anchors_[anchor] = {node, size.nodes, size.height};
}

void TreeBuilder::place(Node node) {
  if (stack_.empty()) root_ = std::move(node);
  else if (stack_.back().node.kind == Node::Kind::list) stack_.back().node.items.push_back(std::move(node));
  else place_in_map(stack_.back(), std::move(node));
}

void TreeBuilder::place_in_map(Open& map, Node node) {
  if (!map.key) {
    map.refused = !accept_key(map, node);
    map.key = std::move(node);
    return;
  }
  if (node.kind == Node::Kind::nothing) node.where = map.key->where;  // an absent value has no place of its own
  if (!map.refused) map.node.entries.push_back({map.key->text, map.key->where, std::move(node)});
  map.key.reset();
}

bool TreeBuilder::accept_key(Open& map, const Node& key) {
  if (key.kind != Node::Kind::scalar) {
    complain(problems_, key.where, "a key that is not text; expected a name");
    return false;
  }
  if (key.text == "<<" && key.plain) {
    complain(problems_, key.where, "merge key '<<' is not allowed; expected the keys themselves, or an include");
    return false;
  }
  auto [first, is_new] = map.lines.emplace(key.text, key.where.line);
  if (!is_new)
    complain(problems_, key.where,
             "key " + in_quotes(key.text) + " is given twice, first in line " + std::to_string(first->second) + "; expected it once");
  return is_new;
}

}  // namespace vt::yaml
