#include <gtest/gtest.h>

#include "plan_support.hpp"

using namespace vt;
using namespace vt::test;

namespace {

std::string describe(const std::vector<std::string>& list) {
  std::string out = "[";
  for (auto& item : list) out += "<" + item + ">";
  return out + "]";
}

std::string describe(const std::optional<Duration>& d) { return d ? std::to_string(d->count()) + "ms" : "-"; }

std::string describe(const Budget& b) { return (b.usd ? std::to_string(b.usd->micro) : "-") + " " + describe(b.time); }

std::string describe(const HostSpec& h) {
  return describe({h.address, std::to_string(h.port), h.user, h.identity, h.agent ? "agent" : "", h.host_key, h.known_hosts, h.jump,
                   h.jump_key, h.serial, h.exclusive ? "exclusive" : ""});
}

/// Everything a plan says, places aside.
std::string describe(const Layer& l) {
  std::string out = l.name + "|" + l.proves + "|" + l.provider + "|" + describe(l.suites) + describe(l.checks) + describe(l.skip);
  for (auto& gate : l.after) out += " after " + gate.layer + describe(gate.passed_within);
  for (auto& host : l.hosts) out += " host " + describe(host);
  for (auto& [key, values] : l.options) out += " " + key + "=" + describe(values);
  for (auto& [key, e] : l.expect)
    out += " expect " + key + " " + std::string(name(e.op)) + describe(e.args) + (e.over == Expectation::Over::any ? "any" : "");
  for (auto& [key, value] : l.declares) out += " declares " + key + " " + value.text();
  return out + " " + std::string(name(l.level)) + describe(l.burn) + describe(l.budget) + "\n";
}

std::string describe(const Plan& p) {
  std::string out = p.name + "|" + p.purpose + "|" + (p.subject ? p.subject->git + (p.subject->require_clean ? " clean" : "") : "") +
                    describe(p.secrets) + describe(p.budget) + "\n";
  for (auto& layer : p.layers) out += describe(layer);
  out += describe(p.signoff.max_age);
  for (auto& [layer, checks] : p.signoff.must_prove) out += layer + describe(checks);
  return out;
}

LoadedPlan again(const Plan& plan) { return load_resolved(plan.resolved, "stored plan", catalogue().catalogue, providers()); }

/// Loads, reads the resolved text, and again the text resolved from that.
void expect_round_trip(const std::string& plan, const Given& given = {}) {
  auto first = load(plan, given);
  ASSERT_EQ(text(first.problems), "");
  auto second = again(first.plan);
  ASSERT_EQ(text(second.problems), "") << first.plan.resolved;
  EXPECT_EQ(describe(second.plan), describe(first.plan)) << first.plan.resolved;
  EXPECT_EQ(second.plan.resolved, first.plan.resolved) << "resolving is idempotent";
}

}  // namespace

TEST(Resolved, TheWholePlanReadsBackTheSame) {
  auto plan = read(data("good-plans/blackwell.yaml"));
  expect_round_trip(plan, {{}, {{"GCP_PROJECT", "vault: {42}"}, {"HOME", "/home/me"}}});
  expect_round_trip(plan, {{{"gpus", "2"}}, {}});
}

TEST(Resolved, KeepsWhatYamlWouldReadOtherwise) {
  for (const char* nasty : {"null", "~",  "true", "a: b", " lead", "trail ", "#c", "[x", "'q'", "\"d\"", "a\nb", "\\x", "- x", "&a", "*a",
                            "!t",   "%d", "@x",   "ä€😀",  "0x1f",  "|",      ">",  "",   "?",   "<<",    "x #y", "${",  "$${", "$",  "}"})
    expect_round_trip(plan_with("disk: ${vars.size}\ngpu: ${vars.x}\ncloud: [\"${vars.x}\", b]", "runpod", "vars: {x: y, size: 50 GB}\n"),
                      {{{"x", nasty}}, {}});
}

TEST(Resolved, EscapesAndUnsetVariablesSurvive) {
  auto plan = plan_with("proves: 'a $${vars.x} ${env.UNSET} ${vars.x}'\ncloud: [\"${env.UNSET}\", x]\ngpu: g", "runpod",
                        "vars: {x: '$${env.NO}'}\n");
  expect_round_trip(plan);
  auto loaded = again(load(plan).plan);
  EXPECT_EQ(loaded.plan.layers.at(0).proves, "a ${vars.x} ${env.UNSET} ${env.NO}");
  EXPECT_EQ(loaded.plan.missing, std::vector<std::string>{"UNSET"});
}

TEST(Resolved, IsSelfContainedAndWithoutSecrets) {
  TempFolder folder;
  WorkIn here(folder.path());
  folder.write("base.yaml", "vault-test: 1\nsecrets: [HF_TOKEN]\nvars: {a: b}\n");
  folder.write("main.yaml", plan_with("proves: ${vars.a}", "local", "include: base.yaml\n"));
  auto loaded = load_plan({"main.yaml", {}, {{"HF_TOKEN", "hf_secret_value"}}}, catalogue().catalogue, providers());
  ASSERT_EQ(text(loaded.problems), "");
  EXPECT_EQ(loaded.plan.missing, std::vector<std::string>{});
  EXPECT_EQ(loaded.plan.resolved.find("hf_secret_value"), std::string::npos);
  EXPECT_EQ(loaded.plan.resolved.find("include"), std::string::npos);
  EXPECT_EQ(loaded.plan.resolved.find("vars"), std::string::npos);
  EXPECT_EQ(describe(again(loaded.plan).plan), describe(loaded.plan));
}

TEST(Resolved, WhatCouldNotBeReadBackIsRefusedAtOnce) {
  TempFolder folder;
  WorkIn here(folder.path());
  auto half = [](const std::string& layer) {
    std::string list;
    for (int i = 0; i < 6'000; ++i) list += "x" + std::to_string(i) + ",";
    return "vault-test: 1\nlayers: {" + layer + ": {provider: runpod, gpu: x, suites: [os], cloud: [" + list + "]}}\n";
  };
  folder.write("a.yaml", half("a"));
  folder.write("b.yaml", half("b"));
  folder.write("main.yaml", "vault-test: 1\nname: p\ninclude: [a.yaml, b.yaml]\n");
  EXPECT_EQ(
      text(load_plan({"main.yaml", {}, {}}, catalogue().catalogue, providers()).problems),
      "main.yaml:0:0: with its includes and variables the plan is more than 10000 nodes with aliases expanded; expected a smaller file\n");
}

TEST(Resolved, LoadingTwiceGivesTheSameProblemsInTheSameOrder) {
  WorkIn here(data("broken-plans"));
  auto problems = [] { return text(load_plan({"109-everything-at-once.yaml", {}, {}}, catalogue().catalogue, providers()).problems); };
  auto first = problems();
  EXPECT_GE(std::count(first.begin(), first.end(), '\n'), 8);
  EXPECT_EQ(problems(), first);
}

TEST(Resolved, IncludeIsRefusedInAStoredPlan) {
  auto loaded = load_resolved("vault-test: 1\nname: p\ninclude: [x.yaml]\nlayers: {a: {provider: local, suites: [os]}}\n", "stored",
                              catalogue().catalogue, providers());
  EXPECT_EQ(text(loaded.problems), "stored:3:1: include in a stored plan; expected one self-contained text\n");
}
