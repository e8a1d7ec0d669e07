#include "tests/scenario/catalogue/cases.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "orchestrator/model/capability_ids.hpp"

namespace vt::test {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) { throw std::runtime_error(where + ": " + what); }

/// The keys of `node` are all among `known`: a misspelt fixture would otherwise test nothing.
void know_keys(const YAML::Node& node, const std::set<std::string>& known, const std::string& where) {
  for (auto entry : node)
    if (!known.count(entry.first.as<std::string>())) refuse(where, "unknown key '" + entry.first.as<std::string>() + "'");
}

void read_texts(const YAML::Node& node, std::map<std::string, std::string>& out) {
  for (auto entry : node) out[entry.first.as<std::string>()] = entry.second.as<std::string>();
}

/// Flow and block style alike; what reads as a number or a boolean is one.
nlohmann::json to_json(const YAML::Node& node) {
  auto out = nlohmann::json(node.IsMap() ? nlohmann::json::value_t::object : nlohmann::json::value_t::array);
  if (node.IsScalar()) {
    auto read = nlohmann::json::parse(node.Scalar(), nullptr, false);
    return read.is_number() || read.is_boolean() ? read : nlohmann::json(node.Scalar());
  }
  for (auto entry : node) {
    if (node.IsMap()) out[entry.first.as<std::string>()] = to_json(entry.second);
    else out.push_back(to_json(entry));
  }
  return out;
}

/// Arguments of checks are scalars.
Value to_value(const YAML::Node& node) {
  for (auto type : {ValueType::integer, ValueType::number})
    if (auto value = read_as(type, node.Scalar()); !value.is_null()) return value;
  if (node.Scalar() == "true" || node.Scalar() == "false") return node.Scalar() == "true";
  return node.Scalar();
}

void read_facts(const YAML::Node& node, Case& out) {
  for (auto entry : node) {
    auto id = entry.first.as<std::string>();
    auto type = capability_type(id);
    if (!type) refuse(out.about, "no capability '" + id + "'");
    if (entry.second.IsNull()) out.facts[id] = std::nullopt;
    else out.facts[id] = read_as(*type, entry.second.as<std::string>());
  }
}

/// What `node` says is added to what `out` has already.
void read_fixture(const YAML::Node& node, Case& out) {
  read_texts(node["files"], out.files);
  read_texts(node["bin"], out.bin);
  read_facts(node["facts"], out);
  for (auto folder : node["empty"]) out.empty.push_back(folder.as<std::string>());
  if (node["gpus"]) out.gpus.merge_patch(to_json(node["gpus"]));
  for (auto entry : node["args"]) out.args[entry.first.as<std::string>()] = to_value(entry.second);
  if (node["answer"]) out.answer.merge_patch(to_json(node["answer"]));
  if (node["setup"]) out.setup = node["setup"].as<std::string>();
}

Case read_case(const YAML::Node& node, const Case& common, const std::string& file) {
  Case out = common;
  out.about = file + ":" + std::to_string(node.Mark().line + 1);
  know_keys(node, {"verdict", "files", "bin", "facts", "empty", "gpus", "args", "answer", "setup"}, out.about);
  auto verdict = from_name<Verdict>(node["verdict"].as<std::string>(""));
  if (!verdict) refuse(out.about, "no verdict");
  out.verdict = *verdict;
  read_fixture(node, out);
  return out;
}

void read_file(const std::string& path, const std::string& file, Cases& out) {
  auto root = YAML::LoadFile(path);
  know_keys(root, {"vault-test-cases", "checks"}, file);
  for (auto check : root["checks"]) {
    auto id = check.first.as<std::string>();
    if (out.count(id)) refuse(file, id + " is there twice");
    know_keys(check.second, {"files", "bin", "facts", "empty", "gpus", "nvcc", "args", "answer", "setup", "cases"}, file + ": " + id);
    Case common;
    common.about = file + ": " + id;
    read_fixture(check.second, common);
    common.nvcc = check.second["nvcc"].as<bool>(false);
    for (auto node : check.second["cases"]) out[id].push_back(read_case(node, common, file));
  }
}

}  // namespace

Cases read_cases(const std::string& folder) try {
  Cases out;
  for (auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".cases.yaml")) read_file(entry.path(), entry.path().filename(), out);
  return out;
} catch (const YAML::Exception& e) { throw std::runtime_error(folder + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg); }

}  // namespace vt::test
