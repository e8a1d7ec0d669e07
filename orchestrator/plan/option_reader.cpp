#include <algorithm>
#include <set>

#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Entry;
using yaml::Node;

/// A list of dotted keys, among them "build.vars.*" (anything below) and "gpu!" (required).
class KeyList {
 public:
  explicit KeyList(std::vector<std::string> keys) {
    for (auto& key : keys) {
      bool required = key.back() == '!';
      if (required) key.pop_back(), required_.insert(key);
      keys_.insert(key);
    }
  }
  [[nodiscard]] bool has(const std::string& key) const {
    if (keys_.count(key)) return true;
    for (auto dot = key.rfind('.'); dot != std::string::npos && dot > 0; dot = key.rfind('.', dot - 1))
      if (keys_.count(key.substr(0, dot) + ".*")) return true;
    return false;
  }
  [[nodiscard]] bool has_below(const std::string& key) const {
    auto next = keys_.lower_bound(key + ".");
    return next != keys_.end() && next->substr(0, key.size() + 1) == key + ".";
  }
  [[nodiscard]] const std::set<std::string>& required() const { return required_; }
  /// What may be written at the level of `key`: the siblings of "build.x" are "build.packer", …
  [[nodiscard]] std::vector<std::string> beside(const std::string& key) const {
    auto dot = key.rfind('.');
    std::string prefix = dot == std::string::npos ? "" : key.substr(0, dot + 1);
    std::set<std::string> names;
    for (auto& known : keys_)
      if (known.substr(0, prefix.size()) == prefix) names.insert(known.substr(0, known.find('.', prefix.size())));
    return {names.begin(), names.end()};
  }

 private:
  std::set<std::string> keys_, required_;
};

/// Sizes keep their text, but must be one.
bool holds_size(const std::string& key) {
  auto last = key.substr(key.rfind('.') + 1);
  return last == "disk" || last == "memory";
}

class OptionReader {
 public:
  OptionReader(const KeyList& known, Problems& problems) : known_(known), problems_(problems) {}

  void read(const std::string& key, const Entry& entry) {
    auto& value = entry.value;
    if (known_.has(key) && value.kind == Node::Kind::map && !known_.has(key + ".x"))
      complain(problems_, value.where, key + " is a map; expected a value or a list of values");
    else if (value.kind == Node::Kind::map && (known_.has_below(key) || known_.has(key)))
      for (auto& below : value.entries) read(key + "." + below.key, below);
    else if (known_.has(key)) read_values(key, value);
    else if (known_.has_below(key)) complain(problems_, value.where, key + is_what(value) + "; expected a map");
    else complain(problems_, entry.where, "unknown key " + in_quotes(key) + expected_one_of(key, known_.beside(key)));
  }
  Options take() { return std::move(options_); }

 private:
  void read_values(const std::string& key, const Node& value) {
    auto& out = options_[key];
    for (auto item : yaml::scalars(value, "a value for " + key, problems_)) {
      if (holds_size(key) && !item->open && !is_size(item->text))
        complain(problems_, item->where, key + " " + in_quotes(item->text) + " is not a size; expected for example 50 GB or 64 MiB");
      out.push_back(item->text);
    }
  }

  const KeyList& known_;
  Problems& problems_;
  Options options_;
};

/// Of a provider nobody knows, every provider's keys: a typing error in its name must not cost one message per key.
std::vector<std::string> provider_keys(const std::string& provider, const std::vector<ProviderSchema>& providers) {
  std::vector<std::string> all;
  for (auto& schema : providers) {
    if (schema.name == provider) return schema.options;
    for (auto key : schema.options) {
      if (key.back() == '!') key.pop_back();
      all.push_back(key);
    }
  }
  return all;
}

}  // namespace

const std::vector<std::string>& runner_keys() {
  static const std::vector<std::string> keys{"build.packer",       "build.only",   "build.vars.*",     "build.rebuild",
                                             "build.keep",         "test-on",      "ansible.playbook", "ansible.roles",
                                             "ansible.idempotent", "ansible.tags", "ansible.vars.*"};
  return keys;
}

Options read_options(const Node& layer, const std::vector<std::string>& common, const std::string& provider, PlanContext& context) {
  auto keys = provider_keys(provider, context.providers);
  keys.insert(keys.end(), runner_keys().begin(), runner_keys().end());
  keys.insert(keys.end(), common.begin(), common.end());
  KeyList known(keys);
  OptionReader reader(known, context.problems);
  for (auto& entry : layer.entries)
    if (std::find(common.begin(), common.end(), entry.key) == common.end()) reader.read(entry.key, entry);
  auto options = reader.take();
  for (auto& key : known.required())
    if (!options.count(key) && !layer.find(key))
      complain(context.problems, layer.where, "the layer has no " + in_quotes(key) + "; expected one, provider " + provider + " needs it");
  return options;
}

}  // namespace vt
