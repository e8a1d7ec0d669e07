#include "orchestrator/model/requirement.hpp"

#include <cctype>

#include "orchestrator/model/text.hpp"
#include "orchestrator/model/version.hpp"

namespace vt {

struct Requirement::Node {
  enum class Kind { all, any, negate, atom } kind = Kind::atom;
  std::vector<std::shared_ptr<const Node>> children;
  std::string id, op, literal;
};

namespace {

using Node = Requirement::Node;
using NodePtr = std::shared_ptr<const Node>;
using Answer = Requirement::Answer;
using State = Requirement::State;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NodePtr> all() {
    return sequence(',', Node::Kind::all, [this] { return any(); });
  }
  [[nodiscard]] bool at_end() {
    space();
    return at_ == text_.size();
  }
  tl::unexpected<Error> wrong(const std::string& expected) {
    std::string seen = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    return fail(Errc::config, "in requirement '" + std::string(text_) + "' at character " + std::to_string(at_ + 1) + ": " + seen +
                                  "; expected " + expected);
  }

 private:
  Result<NodePtr> any() {
    return sequence('|', Node::Kind::any, [this] { return term(); });
  }

  template <class Next>
  Result<NodePtr> sequence(char separator, Node::Kind kind, Next next) {
    VT_TRY(NodePtr first, next());
    if (!accept(separator)) return first;
    Node node{kind, {first}, {}, {}, {}};
    do {
      VT_TRY(NodePtr child, next());
      node.children.push_back(child);
    } while (accept(separator));
    return std::make_shared<const Node>(std::move(node));
  }

  Result<NodePtr> term() {
    if (++depth_ > 32) return wrong("less nesting");
    if (accept('!')) {
      VT_TRY(NodePtr child, term());
      return std::make_shared<const Node>(Node{Node::Kind::negate, {child}, {}, {}, {}});
    }
    if (accept('(')) {
      VT_TRY(NodePtr inner, all());
      if (!accept(')')) return wrong("')'");
      return inner;
    }
    return atom();
  }

  Result<NodePtr> atom() {
    Node node;
    node.id = word("abcdefghijklmnopqrstuvwxyz0123456789._-");
    if (node.id.empty()) return wrong("a capability id such as docker.daemon");
    space();
    node.op = word("<>=!");
    if (node.op.empty()) return std::make_shared<const Node>(std::move(node));
    if (node.op != ">=" && node.op != ">" && node.op != "<=" && node.op != "<" && node.op != "==" && node.op != "!=")
      return wrong("one of >= > <= < == != instead of '" + node.op + "'");
    node.literal = word("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    if (node.literal.empty()) return wrong("a number, version or word");
    return std::make_shared<const Node>(std::move(node));
  }

  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string word(std::string_view alphabet) {
    space();
    auto end = text_.find_first_not_of(alphabet, at_);
    if (end == std::string_view::npos) end = text_.size();
    std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

bool compare(const Value& value, const std::string& op, const std::string& literal) {
  if (op == "==") return value.text() == literal;
  if (op == "!=") return value.text() != literal;
  auto have = Version::parse(value.text()), want = Version::parse(literal);  // an integer is a one-part version
  if (!have || !want) return false;
  if (op == ">=") return *have >= *want;
  if (op == ">") return *have > *want;
  if (op == "<=") return *have <= *want;
  return *have < *want;
}

Answer evaluate_node(const Node& node, const Capabilities& host);

Answer evaluate_atom(const Node& node, const Capabilities& host) {
  std::string shown = node.id + node.op + node.literal;
  auto fact = host.find(node.id);
  if (!fact) return {State::unknown, shown, "not probed"};
  if (!fact->value) return {State::unknown, shown, fact->evidence};
  bool met = node.op.empty() ? fact->value->truthy() : compare(*fact->value, node.op, node.literal);
  if (met) return {State::met, shown, fact->evidence};
  return {State::absent, shown, fact->evidence};
}

/// and: absent beats unknown beats met; or: met beats unknown beats absent. The deciding child's answer is kept.
Answer evaluate_children(const Node& node, const Capabilities& host) {
  auto winner = node.kind == Node::Kind::all ? State::absent : State::met;
  Answer best = evaluate_node(*node.children.front(), host);
  for (std::size_t i = 1; i < node.children.size() && best.state != winner; ++i) {
    Answer next = evaluate_node(*node.children[i], host);
    if (next.state == winner || (next.state == State::unknown && best.state != State::unknown)) best = next;
  }
  return best;
}

Answer evaluate_node(const Node& node, const Capabilities& host) {
  switch (node.kind) {
    case Node::Kind::atom: return evaluate_atom(node, host);
    case Node::Kind::negate: {
      Answer inner = evaluate_node(*node.children.front(), host);
      if (inner.state == State::unknown) return inner;
      return {inner.state == State::met ? State::absent : State::met, "!" + inner.capability, inner.evidence};
    }
    default: return evaluate_children(node, host);
  }
}

void collect_ids(const Node& node, std::vector<std::string>& out) {
  if (node.kind == Node::Kind::atom) out.push_back(node.id);
  for (auto& child : node.children) collect_ids(*child, out);
}

}  // namespace

Result<Requirement> Requirement::parse(std::string_view text) {
  Requirement out;
  out.text_ = std::string(trim(text));
  if (out.text_.empty()) return out;
  Parser parser(out.text_);
  VT_TRY(out.root_, parser.all());
  if (!parser.at_end()) return parser.wrong("',', '|' or the end");
  return out;
}

Requirement::Answer Requirement::evaluate(const Capabilities& host) const {
  if (!root_) return {};
  Answer answer = evaluate_node(*root_, host);
  if (answer.state == State::met) return {};
  return answer;
}

std::vector<std::string> Requirement::ids() const {
  std::vector<std::string> out;
  if (root_) collect_ids(*root_, out);
  return out;
}

}  // namespace vt
