#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;

namespace {

json values_of(const std::string& name, json args) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(check("c", name, std::move(args)));
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.exit_code, 0);
  return json::parse(result.values);
}

}  // namespace

TEST(Checks, ValuesComeBackAsTheyWere) {
  json args = {{"text", "grün \"x\" \n"}, {"n", 42}, {"list", {1, 2.5, nullptr, true}}};
  EXPECT_EQ(values_of("selftest.values", args), args);
}

TEST(Checks, AFaultlessProcessorIsNeverWrong) {
  auto values = values_of("cpu.verify", {{"seconds", 0.2}});
  EXPECT_EQ(values["wrong"], 0);
  EXPECT_GT(values["rounds"], values["processors"].get<int>());
  EXPECT_EQ(values["bad"], json::array());
}

TEST(Checks, AFlippedBitInAProcessorIsFound) {
  auto values = values_of("cpu.verify", {{"seconds", 0.1}, {"fault", true}});
  EXPECT_GT(values["wrong"], 0);
  EXPECT_EQ(values["bad"].size(), 1U);
}

TEST(Checks, AVariableOfTheLoginIsToldAndDoesNotReachUs) {
  Folder folder;
  Agent agent(folder,
              {{{"CUDA_LAUNCH_BLOCKING", "1"}, {"NCCL_ALGO", "Tree"}, {"NCCL_VERSION", "2.28.3"}, {"CUDA_INJECTION64_PATH", "/x"}}, 0});
  auto values = json::parse(agent.run(check("c", "env.bad_vars", {})).values);
  for (auto* set : {"CUDA_LAUNCH_BLOCKING=1 (this login)", "NCCL_ALGO=Tree (this login)", "CUDA_INJECTION64_PATH=/x (this login)"})
    EXPECT_EQ(std::count(values["around"].begin(), values["around"].end(), set), 1) << values;
  EXPECT_EQ(values.dump().find("NCCL_VERSION"), std::string::npos) << values;
  for (auto& text : values["reaching"]) EXPECT_EQ(text.get<std::string>().find("this process"), std::string::npos) << text;
}

TEST(Checks, MemoryIsReadBack) {
  auto values = values_of("hostmem.test", {{"mib", 4}});
  EXPECT_EQ(values["wrong"], 0);
  EXPECT_EQ(values["mib"], 4);
}

TEST(Checks, MemoryThatIsNotThereIsAnError) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(check("c", "hostmem.test", {{"mib", 1e9}}));
  EXPECT_FALSE(result.error.empty() && result.exit_code == 0);
  EXPECT_EQ(result.values, "{}");
}

TEST(Checks, ADiskIsReadBackAndLeftAsItWas) {
  Folder folder;
  Agent agent(folder);
  std::filesystem::create_directory(folder / "disk");
  auto result = agent.run(check("c", "disk.verify", {{"mib", 3}, {"dir", folder / "disk"}}));
  auto values = json::parse(result.values);
  EXPECT_EQ(values["wrong"], 0);
  EXPECT_EQ(values["mib"], 3);
  EXPECT_GT(values["write_mib_s"], 0);
  EXPECT_EQ(result.device, folder / "disk");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "disk"));
  EXPECT_EQ(std::count_if(agent.seen().begin(), agent.seen().end(), [](auto& f) { return f["t"] == "metric"; }), 2);
}

TEST(Checks, ADiskThatCannotBeWrittenIsAnError) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(check("c", "disk.verify", {{"mib", 1}, {"dir", "/nowhere"}}));
  EXPECT_EQ(result.error, "cannot make a file in /nowhere: No such file or directory");
}

TEST(Checks, TheClockIsThisHosts) {
  auto before = time(nullptr) * 1000;
  auto now = values_of("clock.skew", json::object())["now_ms"].get<std::int64_t>();
  EXPECT_GE(now, before);
  EXPECT_LE(now, (time(nullptr) + 1) * 1000);
}
