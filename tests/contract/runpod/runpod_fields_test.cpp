#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "providers/emulator/runpod/api.hpp"

// The committed field tables against RunPod's own description, where that is at hand.
namespace vt::emulator::runpod {

namespace {

std::string descriptions() {
  const char* folder = std::getenv("VAULT_TEST_API_DESCRIPTIONS");
  return folder != nullptr ? folder : VT_SOURCE_DIR "/../shared/data";
}

class Description {
 public:
  explicit Description(const std::string& path) {
    std::ifstream file(path);
    schemas_ = json::parse(file)["components"]["schemas"];
  }
  [[nodiscard]] bool has(const std::string& name) const { return schemas_.contains(name); }
  /// Field -> type as our tables write it, all parts of an "allOf" together.
  [[nodiscard]] std::map<std::string, std::string> fields(const std::string& name) const {
    std::map<std::string, std::string> out;
    collect(schemas_.at(name), out);
    return out;
  }

 private:
  void collect(const json& schema, std::map<std::string, std::string>& out) const {
    if (schema.contains("$ref")) return collect(schemas_.at(name_of(schema)), out);
    for (auto& part : schema.value("allOf", json::array())) collect(part, out);
    const json properties = schema.value("properties", json::object());
    for (auto& [field, property] : properties.items()) out[field] = type_of(property);
    for (auto& field : schema.value("required", json::array()))
      if (out.contains(field) && !out[field].ends_with('!')) out[field] += "!";
  }
  static std::string name_of(const json& schema) {
    std::string ref = schema["$ref"];
    return ref.substr(ref.rfind('/') + 1);
  }
  [[nodiscard]] std::string type_of(const json& property) const {
    if (property.contains("$ref")) {
      auto& named = schemas_.at(name_of(property));
      return named.value("type", json()) == "string" ? "s" : name_of(property);
    }
    if (property.contains("allOf")) return type_of(property["allOf"][0]);
    json type = property.value("type", json());
    if (type.is_array()) return letter(type[0]) + "?";
    if (type == "array") return "*" + type_of(property["items"]);
    if (type == "object") return "%" + type_of(property["additionalProperties"]);
    return letter(type);
  }
  static std::string letter(const json& type) {
    return type == "string" ? "s" : type == "boolean" ? "b" : type == "integer" ? "i" : type == "number" ? "d" : "j";
  }

  json schemas_;
};

TEST(EmulatorFieldTables, RunpodAgreesWithTheApiDescription) {
  std::string path = descriptions() + "/runpod-openapi-v2.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no API description in VAULT_TEST_API_DESCRIPTIONS";
  Description description(path);
  std::size_t compared = 0;
  for (auto& [message, table] : fields().all()) {
    ASSERT_TRUE(description.has(message)) << message;
    auto described = description.fields(message);
    compared += table.size();
    for (auto& [field, type] : table) EXPECT_EQ(type, described[field]) << message << "." << field;
    for (auto& [field, type] : described) EXPECT_TRUE(table.contains(field)) << message << "." << field << " is missing in our table";
  }
  EXPECT_GT(compared, 40U);
}

}  // namespace

}  // namespace vt::emulator::runpod
