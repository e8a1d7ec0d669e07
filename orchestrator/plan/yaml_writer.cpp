#include "orchestrator/plan/yaml_writer.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

namespace vt::yaml {

namespace {

void emit(YAML::Emitter& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::nothing: out << YAML::Null; break;
    case Node::Kind::scalar:
      if (!node.plain) out << YAML::DoubleQuoted;
      out << node.source;
      break;
    case Node::Kind::list:
      out << YAML::Flow << YAML::BeginSeq;
      for (auto& item : node.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case Node::Kind::map:
      out << YAML::BeginMap;
      for (auto& entry : node.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string write(const Node& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace vt::yaml
