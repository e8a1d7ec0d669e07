#include "providers/emulator/fields.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vt::emulator {

using nlohmann::json;

namespace {

const Fields& table() {
  static const Fields fields(
      {{"Pod", "name:s! gpu:Gpu env:%s ports:*s disk:i size:l cost:d locked:b image:s? extra:j disks:*Gpu"}, {"Gpu", "id:s! count:i"}});
  return fields;
}

std::vector<std::string> problems(const char* body) {
  std::vector<std::string> texts;
  for (auto& p : table().check("Pod", json::parse(body))) {
    const char* kind = p.kind == FieldProblem::Kind::unknown ? "unknown " : p.kind == FieldProblem::Kind::type ? "type " : "missing ";
    texts.push_back(kind + p.path() + (p.value.empty() ? "" : " " + p.value));
  }
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST(EmulatorFields, ACorrectBodyHasNoProblem) {
  EXPECT_EQ(problems(R"({"name":"n","gpu":{"id":"g","count":1},"env":{"K":"v"},"ports":["22/tcp"],"disk":5,"size":"100","cost":1.5,
                        "locked":false,"image":null,"extra":[1],"disks":[{"id":"a"}]})"),
            Texts());
  EXPECT_EQ(problems(R"({"name":"n","size":100,"cost":2})"), Texts());
}

TEST(EmulatorFields, UnknownNamesAreFoundAtEveryDepth) {
  EXPECT_EQ(problems(R"({"name":"n","nmae":1})"), Texts{"unknown nmae"});
  EXPECT_EQ(problems(R"({"name":"n","disks":[{"id":"a"},{"id":"b","type":"x"}]})"), Texts{"unknown disks[1].type"});
}

TEST(EmulatorFields, WrongTypesAreFound) {
  EXPECT_EQ(problems(R"({"name":5})"), Texts{"type name 5"});
  EXPECT_EQ(problems(R"({"name":null})"), Texts{"type name null"});
  EXPECT_EQ(problems(R"({"name":"n","disk":"5"})"), Texts{R"(type disk "5")"});
  EXPECT_EQ(problems(R"({"name":"n","disk":5.5})"), Texts{"type disk 5.5"});
  EXPECT_EQ(problems(R"({"name":"n","size":"5 GB"})"), Texts{R"(type size "5 GB")"});
  EXPECT_EQ(problems(R"({"name":"n","gpu":"L4"})"), Texts{R"(type gpu "L4")"});
  EXPECT_EQ(problems(R"({"name":"n","ports":"22/tcp"})"), Texts{R"(type ports "22/tcp")"});
  EXPECT_EQ(problems(R"({"name":"n","env":{"K":1}})"), Texts{"type env.K 1"});
  EXPECT_EQ(problems(R"({"name":"n","ports":[22]})"), Texts{"type ports[0] 22"});
}

TEST(EmulatorFields, MissingOnesAreFound) {
  EXPECT_EQ(problems("{}"), Texts{"missing name"});
  EXPECT_EQ(problems(R"({"name":"n","gpu":{}})"), Texts{"missing gpu.id"});
}

}  // namespace vt::emulator
