#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <regex>

#include "orchestrator/model/capability_ids.hpp"
#include "plan_support.hpp"

using namespace vt;
using namespace vt::test;

TEST(CatalogueFiles, ReadEveryField) {
  auto& all = catalogue().catalogue;
  auto kernel = all.check("os.kernel");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->why, "Blackwell's open driver is only tested on recent kernels");
  EXPECT_EQ(kernel->requirement, "OS-01");
  EXPECT_EQ(kernel->after, std::vector<std::string>{"os.release"});
  EXPECT_EQ(std::get<CommandRun>(kernel->how).argv, (std::vector<std::string>{"uname", "-r"}));
  EXPECT_EQ(kernel->timeout, std::chrono::seconds(10));
  EXPECT_EQ(kernel->value("value")->expect->text(), "at-least 5.10");
  ASSERT_EQ(kernel->logs.size(), 3U);
  EXPECT_EQ(kernel->logs[0].kind, LogSource::Kind::kernel);
  EXPECT_EQ(kernel->logs[1].name, "docker");
  EXPECT_EQ(kernel->logs[2].kind, LogSource::Kind::file);
  EXPECT_EQ(kernel->remedy, "Install a newer kernel and reboot");

  auto soak = all.check("soak.errors");
  EXPECT_TRUE(soak->disruptive && !soak->detached && !soak->root);
  EXPECT_EQ(soak->timeout, std::chrono::hours(12));
  EXPECT_EQ(soak->secrets, std::vector<std::string>{"NGC_API_KEY"});
  EXPECT_EQ(soak->environment.at("LC_ALL"), "C");
  EXPECT_EQ(std::get<ScriptRun>(soak->how).interpreter, "/bin/bash");
  EXPECT_TRUE(all.check("nccl.all_reduce")->detached && all.check("disk.verify")->root);
  EXPECT_EQ(all.check("os.disk_free")->severity, Severity::warn);
}

TEST(CatalogueFiles, Readers) {
  auto& all = catalogue().catalogue;
  auto reader = [&](const char* check, const char* value) { return all.check(check)->value(value)->read; };
  EXPECT_EQ(reader("os.release", "id").by, Reader::By::regex);
  EXPECT_EQ(reader("os.release", "id").pattern, "ID=(\\w+)");
  EXPECT_EQ(reader("os.kernel", "value").by, Reader::By::whole);
  EXPECT_EQ(reader("os.kernel", "value").from, Reader::From::out);
  EXPECT_EQ(reader("gpu.sm", "value").by, Reader::By::csv);
  EXPECT_TRUE(reader("gpu.sm", "value").all);
  EXPECT_EQ(reader("gpu.count", "value").from, Reader::From::result);
  EXPECT_EQ(reader("gpu.count", "value").pattern, "value");
  EXPECT_EQ(reader("links.integrity", "rates").from, Reader::From::result);
  EXPECT_EQ(reader("links.integrity", "rates").pattern, "/rates");
  EXPECT_EQ(reader("soak.errors", "value").by, Reader::By::lines);
  EXPECT_EQ(reader("soak.errors", "status").from, Reader::From::exit_code);
  EXPECT_EQ(reader("soak.errors", "noise").from, Reader::From::err);
}

TEST(CatalogueFiles, AgentArgumentsAreTyped) {
  auto& args = std::get<AgentRun>(catalogue().catalogue.check("links.integrity")->how).args;
  EXPECT_EQ(args.at("size"), Value("64 MiB"));
  EXPECT_EQ(args.at("rounds"), Value(3));
  EXPECT_EQ(args.at("ratio"), Value(0.5));
  EXPECT_EQ(args.at("checked"), Value(true));
  EXPECT_EQ(args.at("seeds"), Value(Value::List{1, 2}));
}

TEST(CatalogueFiles, LevelsBaselinesAndStandIns) {
  auto gemm = catalogue().catalogue.check("gemm.bf16");
  ASSERT_TRUE(gemm);
  EXPECT_TRUE(gemm->cpu && gemm->burn);
  EXPECT_EQ(gemm->value("value")->baseline, "nccl.all_reduce@512MiB");
  ASSERT_EQ(gemm->levels.size(), 1U);
  auto& standard = gemm->levels.at(Level::standard);
  EXPECT_EQ(standard.args, (Values{{"size", 8192}}));
  EXPECT_EQ(standard.timeout, std::chrono::minutes(1));
  EXPECT_EQ(standard.typical, std::chrono::seconds(12));
  auto plain = catalogue().catalogue.check("links.integrity");
  EXPECT_TRUE(!plain->cpu && !plain->burn && plain->levels.empty() && plain->values.front().baseline.empty());
}

TEST(CatalogueFiles, WhatRunsOnGpusAlsoTellsItsRungAndTheConditions) {
  auto shipped = load_catalogue(std::string(VT_SOURCE_DIR) + "/plans").catalogue;
  for (auto* id : {"gmem.bandwidth", "gemm.correct", "nccl.all_reduce"})
    for (auto* name : {"rung", "conditions"}) {
      auto value = shipped.check(id)->value(name);
      ASSERT_TRUE(value) << id;
      EXPECT_EQ(value->read.pattern, std::string("/") + name);
      EXPECT_TRUE(value->read.all && !value->expect);
    }
  EXPECT_FALSE(shipped.check("gpu.inventory")->value("rung")) << "asks NVML only";
}

TEST(CatalogueFiles, RequirementsAreJoined) {
  auto& needs = catalogue().catalogue.check("gpu.sm")->needs;
  EXPECT_EQ(needs.text(), "gpu>=1, tool.nvidia-smi");
  EXPECT_EQ(needs.ids(), (std::vector<std::string>{"gpu", "tool.nvidia-smi"}));
}

TEST(CatalogueFiles, TextReadsBackTheSame) {
  auto again = parse_catalogue(catalogue().text);
  EXPECT_EQ(text(again.problems), "");
  EXPECT_EQ(again.text, catalogue().text);
  ASSERT_EQ(again.catalogue.checks.size(), catalogue().catalogue.checks.size());
  for (std::size_t i = 0; i < again.catalogue.checks.size(); ++i)
    EXPECT_EQ(again.catalogue.checks[i].id, catalogue().catalogue.checks[i].id);
  EXPECT_EQ(again.catalogue.suites.size(), 9U);
  EXPECT_EQ(again.catalogue.check("os.kernel")->where.file, "checks/os.yaml");
}

TEST(CatalogueFiles, DamagedTextIsRefused) {
  auto& whole = catalogue().text;
  for (std::size_t length = 1; length < whole.size(); length += 7)
    EXPECT_NE(text(parse_catalogue(whole.substr(0, length)).problems), "") << length;
}

TEST(CatalogueFiles, FolderFromTheEnvironmentThenTheSources) {
  setenv("VAULT_TEST_CATALOGUE", "/somewhere", 1);
  EXPECT_EQ(default_catalogue_folder(), "/somewhere");
  unsetenv("VAULT_TEST_CATALOGUE");
  auto folder = default_catalogue_folder();
  EXPECT_EQ(folder.substr(folder.rfind('/')), "/plans");
}

TEST(CatalogueFiles, ShippedOnesHaveNoProblem) {
  auto shipped = load_catalogue(std::string(VT_SOURCE_DIR) + "/plans");
  EXPECT_EQ(text(shipped.problems), "");
  EXPECT_FALSE(shipped.catalogue.checks.empty());
}

/// docs/plan-reference.md and docs/gpu-checks.md tell the user to write this.
TEST(CatalogueFiles, NcclKnobsOfTheManualAreArgumentsOfTheShippedRows) {
  auto shipped = load_catalogue(std::string(VT_SOURCE_DIR) + "/plans");
  TempFolder folder;
  for (std::string params : {"nccl.all_reduce: {p2p: false}", "nccl.init: {shm: false, ib: false, nvls: false}",
                             "train.ddp: {interface: eth0, algo: Ring, proto: Simple}"}) {
    auto layer = "{provider: local, checks: [nccl.all_reduce, nccl.init, train.ddp], params: {" + params + "}}";
    auto file = folder.write("plan.yaml", "vault-test: 1\nname: p\nlayers: {a: " + layer + "}\n");
    auto loaded = load_plan({file, {}, {}}, shipped.catalogue, providers());
    EXPECT_EQ(text(loaded.problems), "") << params;
    ASSERT_EQ(loaded.plan.layers.size(), 1U);
    EXPECT_EQ(loaded.plan.layers[0].params.size(), 1U);
  }
}

TEST(CapabilityIds, AreExactlyTheDocumentedOnes) {
  std::ifstream docs(std::string(VT_SOURCE_DIR) + "/docs/capabilities.md");
  std::regex row("\\| `([^`]+)` \\| (\\w+).*");
  std::map<std::string, ValueType> types{{"bool", ValueType::boolean},    {"integer", ValueType::integer}, {"number", ValueType::number},
                                         {"version", ValueType::version}, {"text", ValueType::text},       {"list", ValueType::text}};
  std::size_t documented = 0;
  for (std::string line; std::getline(docs, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    ++documented;
    ASSERT_TRUE(types.count(match[2])) << line;
    EXPECT_EQ(capability_type(match[1].str()), types.at(match[2])) << line;
  }
  EXPECT_EQ(documented, known_capabilities().size() + 1) << "tool.NAME is the one that is no row of its own";
  EXPECT_FALSE(capability_type("tool."));
  EXPECT_FALSE(capability_type("docker"));
}
