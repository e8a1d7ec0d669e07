#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "providers/emulator/gcp/api.hpp"

// The committed field tables against the provider's own description, where that is at hand.
namespace vt::emulator {

using nlohmann::json;

namespace {

std::string descriptions() {
  const char* folder = std::getenv("VAULT_TEST_API_DESCRIPTIONS");
  return folder != nullptr ? folder : VT_SOURCE_DIR "/../shared/data";
}

std::string letter(const json& property) {
  std::string type = property.value("type", ""), format = property.value("format", "");
  if (type == "string") return format == "int64" || format == "uint64" ? "l" : "s";
  if (type == "boolean") return "b";
  if (type == "integer") return "i";
  return type == "number" ? "d" : "j";
}

/// A property's type as our tables write it.
std::string type_of(const json& property, const std::string& message, const std::string& field) {
  if (property.contains("$ref")) return property["$ref"];
  if (property.value("type", "") == "array") return "*" + type_of(property["items"], message, field);
  if (property.contains("additionalProperties")) return "%" + type_of(property["additionalProperties"], message, field);
  if (property.contains("properties")) return message + "." + field;
  return letter(property);
}

/// The description of one of our messages; those without a name of their own are called PARENT.field.
const json* schema_of(const json& schemas, const std::string& message) {
  if (message == "ZoneSetLabelsRequest") return &schemas.at("InstancesSetLabelsRequest");  // trimmed away; the same two fields
  if (schemas.contains(message)) return &schemas[message];
  auto dot = message.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const json* parent = schema_of(schemas, message.substr(0, dot));
  if (parent == nullptr) return nullptr;
  const json& field = parent->at("properties").at(message.substr(dot + 1));
  return field.contains("items") ? &field["items"] : &field;
}

}  // namespace

TEST(EmulatorFieldTables, ComputeAgreesWithTheApiDescription) {
  std::string path = descriptions() + "/gcp-compute-v1-trimmed.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no API description in VAULT_TEST_API_DESCRIPTIONS";
  std::ifstream file(path);
  json schemas = json::parse(file)["schemas"];
  std::size_t compared = 0;
  for (auto& [message, fields] : gcp::fields().all()) {
    const json* schema = schema_of(schemas, message);
    ASSERT_NE(schema, nullptr) << message;
    const json properties = schema->value("properties", json::object());
    for (auto& [field, type] : fields) {
      ASSERT_TRUE(properties.contains(field)) << message << "." << field << " is in our table alone";
      EXPECT_EQ(type, type_of(properties[field], message, field)) << message << "." << field;
      ++compared;
    }
    for (auto& [field, property] : properties.items())
      EXPECT_TRUE(fields.contains(field)) << message << "." << field << " is missing in our table";
  }
  EXPECT_GT(compared, 250U);
}

}  // namespace vt::emulator
