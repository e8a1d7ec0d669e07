#include "orchestrator/plan/variables.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Node;

constexpr std::size_t kLongestText = 16 * 1024;    ///< one value with its variables replaced
constexpr std::size_t kDeepestReference = 32;      ///< variables in variables
constexpr std::size_t kLongestTotal = 256 * 1024;  ///< all of them

/// Text after substitution, in pieces: final ones, and unset variables as written.
struct Expanded {
  struct Piece {
    std::string text;
    bool open = false;
  };
  std::vector<Piece> pieces;
  std::size_t size = 0;

  void add(std::string_view text, bool open = false) {
    if (pieces.empty() || pieces.back().open || open) pieces.push_back({"", open});
    pieces.back().text += text;
    size += text.size();
  }
  void add(const Expanded& other) {
    for (auto& piece : other.pieces) add(piece.text, piece.open);
  }
  void write_to(Node& node) const {
    node.text.clear(), node.source.clear();
    for (auto& piece : pieces) {
      node.text += piece.text;
      node.source += piece.open ? piece.text : escape_variables(piece.text);
      node.open = node.open || piece.open;
    }
  }
};

class Substitution {
 public:
  Substitution(const Node& raw, const VariableInput& input, VariableUse& use, Problems& problems)
      : raw_(raw), input_(input), use_(use), problems_(problems) {
    if (auto secrets = raw.find("secrets"))
      for (auto& item : secrets->items) secrets_.insert(item.text);
    if (auto secrets = raw.find("secrets")) secrets_.insert(secrets->text);
  }

  void run(Node& plan) {
    check_vars();
    for (auto& entry : plan.entries) {
      bool literal = entry.key == "vault-test" || entry.key == "secrets" || entry.key == "vars";
      if (entry.key == "layers" && entry.value.kind == Node::Kind::map) run_layers(entry.value);
      else literal ? keep(entry.value) : replace(entry.value);
    }
  }

 private:
  void run_layers(Node& layers) {
    for (auto& layer : layers.entries) {
      layer_ = raw_.find("layers")->find(layer.key);
      layer_vars_.clear();
      replace(layer.value);
    }
    layer_ = nullptr;
  }

  void keep(Node& node) {
    node.source = node.text;
    for (auto& item : node.items) keep(item);
  }

  void replace(Node& node) {
    if (node.kind == Node::Kind::scalar) {
      auto before = problems_.size();
      auto text = expand(node);
      node.open = node.open || problems_.size() > before;  // one problem is enough
      total_ += text.size;
      if (total_ <= kLongestTotal) text.write_to(node);
      else if (!too_much_)
        too_much_ = true, complain(problems_, node.where, "the plan with its variables replaced is larger than 256 KiB; expected less");
    }
    for (auto& item : node.items) replace(item);
    for (auto& entry : node.entries) replace(entry.value);
  }

  /// All vars are expanded once, used or not, so that what is wrong in one is always told.
  void check_vars() {
    for (auto& [name, text] : input_.set)
      if (auto vars = raw_.find("vars"); !vars || !vars->find(name))
        complain(problems_, {input_.file, 0, 0},
                 "--set " + name + ": the plan has no such variable; expected a key of its vars" + nearest_hint(name, var_names()));
    auto vars = raw_.find("vars");
    if (!vars) return;
    if (vars->kind != Node::Kind::map) return complain(problems_, vars->where, "vars is not a map; expected {name: value}");
    for (auto& entry : vars->entries) {
      if (!is_plain_name(entry.key))
        complain(problems_, entry.where,
                 "variable name " + in_quotes(entry.key) + " is not valid; expected lower-case letters, digits, '.', '_' and '-'");
      if (entry.value.kind != Node::Kind::scalar)
        complain(problems_, entry.value.where, "variable " + in_quotes(entry.key) + " is not text; expected one value");
      else var(entry.key, entry.value.where);
    }
  }

  Expanded expand(const Node& node) {
    Expanded out;
    std::string_view text = node.text;
    for (std::size_t at = 0; at < text.size();) {
      auto dollar = std::min(text.find('$', at), text.size());
      out.add(text.substr(at, dollar - at));
      at = dollar;
      auto rest = text.substr(at);
      if (rest.substr(0, 3) == "$${") out.add("${"), at += 3;
      else if (rest.substr(0, 2) == "${") at += reference(rest, node.where, out);
      else if (!rest.empty()) out.add("$"), ++at;
      if (out.size <= kLongestText) continue;
      complain(problems_, node.where, "a value of more than 16 KiB with its variables replaced; expected less");
      return {};
    }
    return out;
  }

  /// `text` starts with "${"; adds what stands for it and returns how much of the text it was.
  std::size_t reference(std::string_view text, const SourceLocation& where, Expanded& out) {
    auto end = text.find('}');
    if (end == std::string_view::npos) {
      complain(problems_, where, "'${' without '}'; expected ${vars.NAME}, ${env.NAME} or ${layer.KEY}, or $${ for a literal ${");
      return text.size();
    }
    std::string_view name = text.substr(2, end - 2);
    auto starts = [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; };
    if (starts("vars.")) out.add(var(std::string(name.substr(5)), where));
    else if (starts("env.")) env(std::string(name.substr(4)), where, out);
    else if (starts("layer.")) out.add(layer_key(std::string(name.substr(6)), where));
    else
      complain(problems_, where,
               in_quotes(text.substr(0, end + 1)) +
                   " is not a variable; expected ${vars.NAME}, ${env.NAME} or ${layer.KEY}, or $${ for a literal ${");
    return end + 1;
  }

  void env(const std::string& name, const SourceLocation& where, Expanded& out) {
    if (!is_variable_name(name))
      return complain(problems_, where,
                      "environment variable " + in_quotes(name) + " is not a valid name; expected letters, digits and '_'");
    if (secrets_.count(name))
      return complain(problems_, where,
                      "secret " + in_quotes(name) + " as a value would be stored; expected its name under the secrets of a check");
    use_.used.insert(name);
    auto value = input_.environment.find(name);
    if (value != input_.environment.end()) return out.add(value->second);
    use_.unset.insert(name);
    out.add("${env." + name + "}", true);
  }

  Expanded var(const std::string& name, const SourceLocation& where) {
    if (auto given = input_.set.find(name); given != input_.set.end()) {
      Expanded literal;
      literal.add(given->second);
      return literal;
    }
    auto vars = raw_.find("vars");
    auto found = vars ? vars->find(name) : nullptr;
    if (found) return found->kind == Node::Kind::scalar ? expand_once(vars_, "vars." + name, *found, where) : Expanded();
    complain(problems_, where, "variable " + in_quotes(name) + " does not exist; expected a key of vars" + nearest_hint(name, var_names()));
    return {};
  }

  /// A key of the layer; of a list its first element, which may be asked for in the singular (${layer.zone} of `zones`).
  Expanded layer_key(const std::string& name, const SourceLocation& where) {
    if (!layer_) {
      complain(problems_, where, "'${layer." + name + "}' outside a layer; expected ${vars.NAME} here");
      return {};
    }
    auto found = layer_->find(name);
    if (!found) found = layer_->find(name + "s");
    if (found && found->kind == Node::Kind::list && !found->items.empty()) found = &found->items.front();
    if (found && found->kind == Node::Kind::scalar) return expand_once(layer_vars_, "layer." + name, *found, where);
    std::vector<std::string> keys;
    for (auto& entry : layer_->entries) keys.push_back(entry.key);
    complain(problems_, where,
             "the layer has no text or list " + in_quotes(name) + "; expected a key of this layer" + nearest_hint(name, keys));
    return {};
  }

  /// Each variable is expanded once: otherwise n variables of two references each would cost 2^n.
  Expanded expand_once(std::map<std::string, Expanded>& known, const std::string& name, const Node& node, const SourceLocation& where) {
    if (auto done = known.find(name); done != known.end()) return done->second;
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
      complain(problems_, where, "variable " + in_quotes(name) + " refers to itself; expected no cycle");
      return {};
    }
    if (open_.size() >= kDeepestReference) {
      complain(problems_, where, "variables refer to each other more than 32 levels deep; expected fewer");
      return {};
    }
    open_.push_back(name);
    auto out = expand(node);
    open_.pop_back();
    return known[name] = out;
  }

  [[nodiscard]] std::vector<std::string> var_names() const {
    std::vector<std::string> names;
    if (auto vars = raw_.find("vars"))
      for (auto& entry : vars->entries) names.push_back(entry.key);
    return names;
  }

  const Node& raw_;
  const VariableInput& input_;
  VariableUse& use_;
  Problems& problems_;
  std::set<std::string> secrets_;
  std::map<std::string, Expanded> vars_, layer_vars_;
  const Node* layer_ = nullptr;    ///< the layer being read, as written
  std::vector<std::string> open_;  ///< variables being expanded
  std::size_t total_ = 0;
  bool too_much_ = false;
};

}  // namespace

std::string escape_variables(std::string text) {
  for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3)) text.insert(at, "$");
  return text;
}

VariableUse substitute(Node& plan, const VariableInput& input, Problems& problems) {
  VariableUse use;
  const Node raw = plan;
  Substitution(raw, input, use, problems).run(plan);
  return use;
}

}  // namespace vt
