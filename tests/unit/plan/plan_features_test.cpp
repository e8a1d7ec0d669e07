#include <gtest/gtest.h>

#include "plan_support.hpp"

using namespace vt;
using namespace vt::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kFingerprint = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

Plan good(const std::string& plan, const Given& given = {}) {
  auto loaded = load(plan, given);
  EXPECT_EQ(text(loaded.problems), "");
  return loaded.plan;
}

Layer first_layer(const std::string& keys, const std::string& provider = "local", const std::string& top = "", const Given& given = {}) {
  auto plan = good(plan_with(keys, provider, top), given);
  return plan.layers.empty() ? Layer() : plan.layers.front();
}

}  // namespace

TEST(Plan, SmallestOneHasTheDefaults) {
  auto plan = good("vault-test: 1\nname: p\nlayers: {a: {provider: local, checks: os.kernel}}\n");
  ASSERT_EQ(plan.layers.size(), 1U);
  auto& layer = plan.layers[0];
  EXPECT_EQ(layer.name, "a");
  EXPECT_EQ(layer.level, Level::standard);
  EXPECT_EQ(layer.checks, std::vector<std::string>{"os.kernel"});
  ASSERT_EQ(layer.hosts.size(), 1U) << "this machine";
  EXPECT_EQ(layer.hosts[0].address, "");
  EXPECT_EQ(layer.where.line, 3);
  EXPECT_FALSE(plan.subject || plan.budget.usd || plan.budget.time || plan.signoff.max_age);
}

TEST(Plan, TopLevelKeys) {
  auto plan = good(plan_with("", "local",
                             "purpose: why\nsubject: {git: ../image, require: clean}\nsecrets: [NGC_API_KEY, HF_TOKEN]\n"
                             "budget: {usd: 9.50, minutes: 110}\nsignoff: {max-age: 7d, must-prove: {a: [os.kernel, os.release]}}\n"),
                   {{}, {{"HF_TOKEN", "x"}}});
  EXPECT_EQ(plan.purpose, "why");
  EXPECT_TRUE(plan.subject->require_clean);
  EXPECT_EQ(plan.subject->git, "/tmp/image");
  EXPECT_EQ(plan.secrets, (std::vector<std::string>{"NGC_API_KEY", "HF_TOKEN"}));
  EXPECT_EQ(plan.missing, std::vector<std::string>{"NGC_API_KEY"});
  EXPECT_EQ(plan.budget.usd, Money{9'500'000});
  EXPECT_EQ(plan.budget.time, 110min);
  EXPECT_EQ(plan.signoff.max_age, 24h * 7);
  EXPECT_EQ(plan.signoff.must_prove.at("a"), (std::vector<std::string>{"os.kernel", "os.release"}));
}

TEST(Plan, LayerKeys) {
  auto layer = first_layer(
      "proves: a lot\nchecks: [disk.verify]\nskip: [os.disk*, gpu.count]\nlevel: full\nburn: 12h\nbudget: {usd: 1}\n"
      "declares: {docker.daemon: true, gpu: 4, kernel.version: '6.8', os.id: debian, tool.fio: false}");
  EXPECT_EQ(layer.proves, "a lot");
  EXPECT_EQ(layer.suites, (std::vector<std::string>{"os", "gpu-stack"}));
  EXPECT_EQ(layer.skip, (std::vector<std::string>{"os.disk*", "gpu.count"}));
  EXPECT_EQ(layer.level, Level::full);
  EXPECT_EQ(layer.burn, 12h);
  EXPECT_EQ(layer.budget.usd, Money{1'000'000});
  EXPECT_EQ(layer.declares.at("docker.daemon"), Value(true));
  EXPECT_EQ(layer.declares.at("gpu"), Value(4));
  EXPECT_EQ(layer.declares.at("kernel.version"), Value("6.8"));
  EXPECT_EQ(layer.declares.at("tool.fio"), Value(false));
}

TEST(Plan, OptionsAreFlattened) {
  auto layer = first_layer(
      "project: p\nmachine: m\nzones: [z1, z2]\nbuild: {packer: x, vars: {a.b: 1, c: {d: 2}}, keep: if-passed}\n"
      "test-on: fresh-boot\nansible: {playbook: ~/site.yml, tags: [a, b], idempotent: true}",
      "gcp", "", {{}, {{"HOME", "/home/me"}}});
  Options expected{{"project", {"p"}},
                   {"machine", {"m"}},
                   {"zones", {"z1", "z2"}},
                   {"build.packer", {"/tmp/x"}},
                   {"build.vars.a.b", {"1"}},
                   {"build.vars.c.d", {"2"}},
                   {"build.keep", {"if-passed"}},
                   {"test-on", {"fresh-boot"}},
                   {"ansible.playbook", {"/home/me/site.yml"}},
                   {"ansible.tags", {"a", "b"}},
                   {"ansible.idempotent", {"true"}}};
  auto& packer = layer.options["build.packer"].front();  // below the temporary folder of this test
  EXPECT_EQ(packer.substr(0, 5) + packer.substr(packer.rfind('/')), "/tmp//x");
  packer = "/tmp/x";
  EXPECT_EQ(layer.options, expected);
}

TEST(Plan, Hosts) {
  auto layer =
      first_layer(std::string("hosts: [{address: cube-01.lan, port: 2222, user: vault, identity: /k/id, agent: true, host-key: \"") +
                      kFingerprint + "\", jump: \"me@bastion:22\", jump-key: \"" + kFingerprint +
                      "\", serial: VC-0042, exclusive: true}, " + "{address: \"fe80::1\", known-hosts: /k/known}]",
                  "bare-metal");
  ASSERT_EQ(layer.hosts.size(), 2U);
  auto& host = layer.hosts[0];
  EXPECT_EQ(host.address + ":" + std::to_string(host.port) + " " + host.user + " " + host.identity, "cube-01.lan:2222 vault /k/id");
  EXPECT_EQ(host.host_key, kFingerprint);
  EXPECT_EQ(host.jump + " " + host.jump_key, std::string("me@bastion:22 ") + kFingerprint);
  EXPECT_EQ(host.serial, "VC-0042");
  EXPECT_TRUE(host.agent && host.exclusive);
  EXPECT_EQ(layer.hosts[1].port, 22);
  EXPECT_EQ(layer.hosts[1].known_hosts, "/k/known");
}

TEST(Plan, GateForms) {
  std::string two =
      "vault-test: 1\nname: p\nlayers:\n  x: {provider: local, suites: os}\n  y: {provider: local, suites: os}\n  z: {provider: local, "
      "suites: os, after: ";
  auto gates = [&](const std::string& after) { return good(two + after + "}\n").layers.at(2).after; };
  EXPECT_EQ(gates("x").at(0).layer, "x");
  EXPECT_EQ(gates("[x, y]").size(), 2U);
  auto within = gates("{y: {passed-within: 7d}, x: }");
  EXPECT_EQ(within.at(0).layer, "y");
  EXPECT_EQ(within.at(0).passed_within, 24h * 7);
  EXPECT_FALSE(within.at(1).passed_within);
}

TEST(Plan, ExpectationsOfTheLayerWin) {
  auto layer = first_layer("expect: {os.kernel: any, os.release/id: arch, gpu.count: {between: [2, 4]}}", "local",
                           "expect: {os.kernel: {at-least: '6.13'}, gpu.sm: {any-of: {matches: '^sm_12'}}}\n");
  EXPECT_EQ(layer.expect.at("os.kernel").op, Expectation::Op::any);
  EXPECT_EQ(layer.expect.at("os.release/id").text(), "arch");
  EXPECT_EQ(layer.expect.at("gpu.count").text(), "between 2 and 4");
  EXPECT_EQ(layer.expect.at("gpu.sm").over, Expectation::Over::any);
  EXPECT_EQ(layer.expect.size(), 4U);
}

TEST(Plan, ParametersReplaceArguments) {
  auto layer = first_layer("params: {gemm.bf16: {size: 512, type: \"16\"}, links.integrity: {seeds: [7], checked: false}}");
  EXPECT_EQ(layer.params.at("gemm.bf16"), (Values{{"size", 512}, {"type", "16"}}));
  EXPECT_EQ(layer.params.at("links.integrity"), (Values{{"seeds", Value::List{7}}, {"checked", false}}));
}

TEST(Plan, QuotedAnyIsTheText) {
  auto layer = first_layer("expect: {driver.modules: 'any'}");
  EXPECT_EQ(layer.expect.at("driver.modules").op, Expectation::Op::equals);
}

TEST(Variables, AreReplacedAfterParsing) {
  auto layer = first_layer(
      "gpu: ${vars.gpu}\nimage: \"${env.IMAGE}:${layer.gpu}\"\nproves: \"$${vars.gpu} $5 ${vars.yaml}\"\ncloud: [SECURE, COMMUNITY]\ndisk: "
      "50 GB\nmin-cuda: ${layer.cloud}",
      "runpod", "vars: {gpu: \"RTX ${vars.n}\", n: 5090, yaml: '}, x: [1'}\n", {{}, {{"IMAGE", "a${vars.n}b"}}});
  EXPECT_EQ(layer.options.at("gpu").front(), "RTX 5090");
  EXPECT_EQ(layer.options.at("image").front(), "a${vars.n}b:RTX 5090") << "a value put in is never looked at again";
  EXPECT_EQ(layer.proves, "${vars.gpu} $5 }, x: [1");
  EXPECT_EQ(layer.options.at("min-cuda").front(), "SECURE") << "the first element of a list";
}

TEST(Variables, AListMayBeAskedForInTheSingular) {
  auto layer = first_layer("project: p\nmachine: m\nzones: [us-central1-b, us-west1-a]\nbuild: {vars: {zone: \"${layer.zone}\"}}", "gcp");
  EXPECT_EQ(layer.options.at("build.vars.zone").front(), "us-central1-b");
}

TEST(Variables, SetReplacesLiterally) {
  auto layer = first_layer("proves: ${vars.a}", "local", "vars: {a: old}\n", {{{"a", "${env.HOME}"}}, {{"HOME", "/h"}}});
  EXPECT_EQ(layer.proves, "${env.HOME}");
}

TEST(Variables, AnUnsetOneIsNoProblemAnywhere) {
  auto loaded =
      load(plan_with("hosts: [{address: \"${env.HOST}\", port: \"${env.PORT}\", host-key: \"${env.KEY}\"}]\nburn: \"${env.BURN}\"\n"
                     "expect: {gpu.count: \"${env.GPUS}\"}\nproves: ${env.SET}",
                     "bare-metal"),
           {{}, {{"SET", "yes"}}});
  EXPECT_EQ(text(loaded.problems), "");
  auto& host = loaded.plan.layers.at(0).hosts.at(0);
  EXPECT_EQ(host.address, "${env.HOST}");
  EXPECT_EQ(host.port, 22);
  EXPECT_EQ(loaded.plan.missing, (std::vector<std::string>{"BURN", "GPUS", "HOST", "KEY", "PORT"}));
  EXPECT_EQ(loaded.plan.environment, (std::vector<std::string>{"BURN", "GPUS", "HOST", "KEY", "PORT", "SET"}));
}

TEST(Variables, TwoReferencesEachDoNotCostTwoToTheN) {
  std::string vars = "vars:\n  v0: ''\n";
  for (int i = 1; i < 31; ++i) {
    auto below = "${vars.v" + std::to_string(i - 1) + "}";
    vars += "  v" + std::to_string(i) + ": \"" + below + below + "\"\n";
  }
  EXPECT_EQ(first_layer("proves: \"x${vars.v30}\"", "local", vars).proves, "x");
}

class Includes : public testing::Test {
 protected:
  LoadedPlan load_main(const std::string& main) {
    folder.write("main.yaml", main);
    WorkIn here(folder.path());
    return load_plan({"main.yaml", {}, {}}, catalogue().catalogue, providers());
  }
  TempFolder folder;
};

TEST_F(Includes, MergeUnderTheIncludingFile) {
  folder.write("sub/base.yaml",
               "vault-test: 1\nname: base\npurpose: of base\nvars: {a: base, b: base}\nsecrets: [A]\nbudget: {usd: 1, minutes: 5}\n"
               "expect: {os.kernel: {at-least: '5'}, gpu.sm: sm_90}\nsubject: {git: repo}\n"
               "layers:\n  x: {provider: local, suites: [os], proves: '${vars.a} ${vars.b}', expect: {gpu.sm: any, driver.modules: "
               "open}}\n  y: {provider: local, suites: [os]}\n");
  auto loaded = load_main(
      "vault-test: 1\ninclude: [sub/base.yaml]\nname: main\nvars: {a: main}\nsecrets: [B]\nbudget: {usd: 2}\nexpect: {os.kernel: {version: "
      "'6'}}\n"
      "layers:\n  z: {provider: local, suites: [os]}\n  x: {level: full, expect: {gpu.sm: sm_120}}\n");
  ASSERT_EQ(text(loaded.problems), "");
  auto& plan = loaded.plan;
  EXPECT_EQ(plan.name + ", " + plan.purpose, "main, of base");
  EXPECT_EQ(plan.secrets, std::vector<std::string>{"B"}) << "lists are replaced";
  EXPECT_FALSE(plan.budget.time) << "other maps too";
  ASSERT_EQ(plan.layers.size(), 3U);
  auto& x = plan.layers[0];
  EXPECT_EQ(x.name + plan.layers[1].name + plan.layers[2].name, "xyz");
  EXPECT_EQ(x.level, Level::full);
  EXPECT_EQ(x.suites, std::vector<std::string>{"os"});
  EXPECT_EQ(x.proves, "main base");
  EXPECT_EQ(x.expect.at("os.kernel").text(), "version 6");
  EXPECT_EQ(x.expect.at("gpu.sm").text(), "sm_120");
  EXPECT_EQ(x.expect.at("driver.modules").text(), "open");
  EXPECT_EQ(plan.layers[1].expect.at("gpu.sm").text(), "sm_90");
  EXPECT_EQ(plan.subject->git, folder.path() + "/sub/repo") << "relative to the file it is written in";
}

TEST_F(Includes, ProblemsPointIntoTheirFile) {
  folder.write("base.yaml", "vault-test: 1\nlayers: {x: {provider: locl, suites: [os]}}\n");
  EXPECT_EQ(text(load_main("vault-test: 1\nname: P\ninclude: base.yaml\n").problems),
            "main.yaml:2:7: name 'P' is not valid; expected [a-z0-9][a-z0-9._-]{0,62}\n"
            "base.yaml:2:24: provider 'locl' is unknown; expected one of local, bare-metal, gcp, runpod, nearest 'local'\n");
}

TEST_F(Includes, AFanOutStopsAtSixtyFourFiles) {
  std::string list;
  for (int i = 0; i < 20; ++i) list += "p" + std::to_string(i) + ".yaml,";
  for (int i = 0; i < 20; ++i)
    folder.write("p" + std::to_string(i) + ".yaml", "vault-test: 1\ninclude: [q1.yaml, q2.yaml, q3.yaml, q4.yaml]\n");
  for (int i = 1; i < 5; ++i) folder.write("q" + std::to_string(i) + ".yaml", "vault-test: 1\n");
  auto problems = text(load_main("vault-test: 1\nname: p\ninclude: [" + list + "]\n").problems);
  EXPECT_NE(problems.find("is one file too many; expected at most 64"), std::string::npos) << problems;
}
