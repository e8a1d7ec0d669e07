#include "orchestrator/plan/fields.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "orchestrator/plan/scalars.hpp"

namespace vt::yaml {

std::string_view kind_name(const Node& node) {
  constexpr std::array<std::string_view, 4> names{"nothing", "text", "a list", "a map"};
  return names.at(static_cast<std::size_t>(node.kind));
}

std::string is_what(const Node& node) {
  bool empty = node.kind == Node::Kind::nothing || (node.kind != Node::Kind::scalar && node.items.empty() && node.entries.empty());
  return empty ? " is empty" : " is " + std::string(kind_name(node));
}

std::string scalar(const Node& node, std::string_view what, Problems& problems) {
  if (node.kind == Node::Kind::scalar) return node.text;
  complain(problems, node.where, "found " + std::string(kind_name(node)) + "; expected " + std::string(what));
  return {};
}

std::vector<const Node*> scalars(const Node& node, std::string_view what, Problems& problems) {
  std::vector<const Node*> out;
  std::set<std::string> seen;
  auto add = [&](const Node& item) {
    if (item.kind != Node::Kind::scalar) scalar(item, what, problems);
    else if (!seen.insert(item.text).second) complain(problems, item.where, in_quotes(item.text) + " is listed twice; expected it once");
    else out.push_back(&item);
  };
  if (node.kind == Node::Kind::list) std::for_each(node.items.begin(), node.items.end(), add);
  else add(node);
  return out;
}

Fields::Fields(const Node& node, std::string what, std::vector<std::string> known, Problems& problems)
    : node_(node), what_(std::move(what)), problems_(problems) {
  if (node.kind != Node::Kind::map) complain(problems, node.where, what_ + is_what(node) + "; expected a map");
  if (known.empty()) return;
  for (auto& entry : node.entries)
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      complain(problems, entry.where, "unknown key " + in_quotes(entry.key) + expected_one_of(entry.key, known));
}

const Node* Fields::need(std::string_view key) const {
  auto found = find(key);
  if (!found && node_.kind == Node::Kind::map) complain(problems_, node_.where, what_ + " has no " + in_quotes(key) + "; expected one");
  return found;
}

const Node* Fields::final_scalar(std::string_view key, std::string_view what) const {
  auto found = find(key);
  if (!found) return nullptr;
  if (found->kind != Node::Kind::scalar && !found->open)
    complain(problems_, found->where, std::string(key) + is_what(*found) + "; expected " + std::string(what));
  return found->kind == Node::Kind::scalar && !found->open ? found : nullptr;
}

void Fields::read(std::string_view key, std::string& out) const {
  auto found = find(key);
  if (found && found->open) out = found->text;
  auto text = final_scalar(key, "text");
  if (!text) return;
  if (text->text.empty()) complain(problems_, text->where, std::string(key) + " is empty; expected text");
  out = text->text;
}

void Fields::read(std::string_view key, std::string& out, bool (*fits)(std::string_view), std::string_view form) const {
  auto found = find(key);
  if (found && found->open) out = found->text;
  auto text = final_scalar(key, form);
  if (!text) return;
  if (!fits(text->text))
    complain(problems_, text->where, std::string(key) + " " + in_quotes(text->text) + " is not valid; expected " + std::string(form));
  out = text->text;
}

void Fields::read(std::string_view key, bool& out) const {
  auto text = final_scalar(key, "true or false");
  if (!text) return;
  if (text->text != "true" && text->text != "false")
    complain(problems_, text->where, std::string(key) + " is " + in_quotes(text->text) + "; expected true or false");
  out = text->text == "true";
}

void Fields::read(std::string_view key, std::optional<Duration>& out) const {
  auto text = final_scalar(key, "a duration such as 30s, 90m, 12h or 7d");
  if (!text) return;
  auto duration = parse_duration(text->text);
  if (duration && *duration > Duration::zero()) out = duration;
  else
    complain(problems_, text->where,
             std::string(key) + " " + in_quotes(text->text) + " is not a duration; expected for example 30s, 90m, 12h or 7d");
}

void Fields::read(std::string_view key, Duration& out) const {
  std::optional<Duration> duration;
  read(key, duration);
  out = duration.value_or(out);
}

void Fields::read(std::string_view key, std::optional<Money>& out) const {
  auto text = final_scalar(key, "an amount of dollars");
  if (!text) return;
  if (auto money = Money::parse(text->text)) out = money;
  else
    complain(problems_, text->where,
             std::string(key) + " " + in_quotes(text->text) + " is not an amount of dollars; expected for example 9 or 0.45");
}

void Fields::read(std::string_view key, int& out, int least, int most) const {
  auto form = least == most ? std::to_string(least) : "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  auto text = final_scalar(key, form);
  if (!text) return;
  auto count = parse_count(text->text, most);
  if (count && *count >= least) out = static_cast<int>(*count);
  else complain(problems_, text->where, std::string(key) + " is " + in_quotes(text->text) + "; expected " + form);
}

void Fields::read(std::string_view key, std::vector<std::string>& out) const {
  auto found = find(key);
  if (!found) return;
  for (auto item : scalars(*found, "a name", problems_)) out.push_back(item->text);
}

std::optional<int> Fields::index_of(std::string_view key, const std::vector<std::string>& names) const {
  auto text = final_scalar(key, "a name");
  if (!text) return std::nullopt;
  auto found = std::find(names.begin(), names.end(), text->text);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  complain(problems_, text->where, std::string(key) + " " + in_quotes(text->text) + " is unknown" + expected_one_of(text->text, names));
  return std::nullopt;
}

}  // namespace vt::yaml
