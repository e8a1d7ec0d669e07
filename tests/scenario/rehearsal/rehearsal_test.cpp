// A plan over two clouds and the rack, rehearsed through the real binary: emulated clouds, real hosts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

using nlohmann::json;
using vt::test::Ended;
using vt::test::Program;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr auto kGcp =
    "  vm: {provider: gcp, project: \"${env.GCP_PROJECT}\", machine: g2-standard-4, zones: [us-central1-a], budget: {usd: 1}, ";
constexpr auto kRunpod = "  pod: {provider: runpod, gpu: NVIDIA L4, budget: {usd: 1}, ";
constexpr auto kRack =
    "  rack: {provider: bare-metal, hosts: [{address: cube-01.lan, user: vault, host-key: \"SHA256:"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}], ";

class Rehearsal : public testing::Test {
 protected:
  Ended rehearse(const std::string& layers, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", program.plan("vault-test: 1\nname: clouds\nlayers:\n" + layers), "--rehearse"};
    words.insert(words.end(), more.begin(), more.end());
    return program.run(words);
  }
  json report() { return json::parse(program.run({"report", "--format", "json"}).out, nullptr, false); }
  Program program;
};

}  // namespace

TEST_F(Rehearsal, ThreeLayersWithoutAnAccount) {
  auto ended = rehearse(kGcp + std::string("checks: [t.pass, t.fail, t.gpu, t.skip]}\n") + kRunpod + "checks: [t.pass]}\n" + kRack +
                        "after: [vm], checks: [t.pass]}\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "REHEARSED")) << ended.out;
  EXPECT_TRUE(has(ended.out, "nothing below is evidence")) << ended.out;
  EXPECT_TRUE(has(ended.err, "pods: ")) << "what stands behind the hosts is printed: " << ended.err;
  auto found = report();
  EXPECT_EQ(found["run"]["origin"], "rehearsal") << found.dump(1);
  ASSERT_FALSE(found["results"].empty());
  for (auto& result : found["results"]) EXPECT_EQ(result["origin"], "rehearsal") << result.dump(1);
  auto left = program.run({"resources", "--rehearse"});
  EXPECT_EQ(left.exit_code, 0) << left.out;
}

TEST_F(Rehearsal, WhatAStandInCannotShowIsNeitherPassNorFailure) {
  auto ended = rehearse(kGcp + std::string("checks: [t.pass, t.fail, t.gpu, t.skip]}\n"));
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "a stand-in host cannot show it: measured 3, required at-least 5")) << ended.out;
  EXPECT_TRUE(has(ended.out, "the stand-in host lacks gpu")) << ended.out;
  EXPECT_TRUE(has(ended.out, "skip gpu>=100")) << "what the real machine would skip too is skipped for the same reason: " << ended.out;
  EXPECT_TRUE(has(ended.out, "UNPROVEN: t.fail")) << ended.out;
}

TEST_F(Rehearsal, PartsWithoutARunnerAreBlockedNeverSkipped) {
  auto ended = rehearse(kGcp + std::string("build: {packer: ./image}, checks: [t.pass]}\n"));
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "BLOCKED image.build")) << ended.out;
  EXPECT_TRUE(has(ended.out, "no runner yet")) << ended.out;
}

TEST_F(Rehearsal, OpensNoGateOfARealRun) {
  ASSERT_EQ(rehearse("  first: {provider: container, checks: [t.pass]}\n").exit_code, 0);
  auto real = program.run({"run",
                           program.plan("vault-test: 1\nname: clouds\nlayers:\n  first: {provider: container, checks: [t.pass]}\n"
                                        "  second: {provider: local, after: {first: {passed-within: 7d}}, checks: [t.pass]}\n"),
                           "--layer", "second"});
  EXPECT_EQ(real.exit_code, 1) << real.out;
  EXPECT_TRUE(has(real.out, "gate first is closed")) << real.out;
}

TEST_F(Rehearsal, TalksToThisMachineOnly) {
  auto plan = program.plan("vault-test: 1\nname: clouds\nlayers:\n" + std::string(kRunpod) + "checks: [t.pass]}\n");
  auto ended = program.run({"run", plan, "--rehearse", "--emulator", "http://192.0.2.1:80"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_TRUE(has(ended.err, "loopback")) << ended.err;
}

TEST_F(Rehearsal, OffersAreShownWithPricesAndNothingIsCreated) {
  auto plan =
      program.plan("vault-test: 1\nname: clouds\nlayers:\n" + std::string(kGcp) + "checks: [t.pass]}\n" + kRunpod + "checks: [t.pass]}\n");
  auto ended = program.run({"plan", plan, "--rehearse", "--online", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  auto answer = json::parse(ended.out, nullptr, false);
  ASSERT_EQ(answer["online"].size(), 2U) << ended.out;
  for (auto& layer : answer["online"]) {
    EXPECT_FALSE(layer["stops"]) << layer.dump(1);
    ASSERT_FALSE(layer["offers"].empty()) << layer.dump(1);
    EXPECT_GT(layer["offers"][0]["hourly_microusd"], 0);
    EXPECT_FALSE(layer["offers"][0]["price_source"].get<std::string>().empty());
  }
  for (auto& layer : answer["layers"]) EXPECT_TRUE(layer["price_known"]) << "what was told is part of the forecast: " << layer.dump(1);
  EXPECT_EQ(program.run({"resources", "--rehearse", "--all"}).out, "nothing is open\n");
}

TEST_F(Rehearsal, AQuotaForOneMachineIsUsedByOneLayerAfterTheOther) {
  std::string all_of_it =
      ": {provider: gcp, project: p, machine: g2-standard-96, zones: [us-central1-a], market: [spot], checks: [t.pass]}\n";  // 8 L4 of 8
  auto ended = rehearse("  first" + all_of_it + "  second" + all_of_it);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  auto waits = ended.err.find("the quota is full: waiting until vt-"), gone = ended.err.find(" is gone"),
       last = ended.err.rfind(" is ready\n");
  ASSERT_TRUE(waits != std::string::npos && gone != std::string::npos && last != std::string::npos) << ended.err;
  EXPECT_LT(gone, last) << "the second machine came before the first was confirmed gone: " << ended.err;
}

TEST_F(Rehearsal, KeepsNoHostThatEndsWithIt) {
  auto ended = rehearse(kRunpod + std::string("checks: [t.pass]}\n"), {"--keep"});
  EXPECT_EQ(ended.exit_code, 2) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.err, "--emulator")) << ended.err;
}

TEST_F(Rehearsal, ACapEndsWithFourAndNothingIsCreated) {
  auto ended = rehearse(
      "  vm: {provider: gcp, project: p, machine: g2-standard-4, zones: [us-central1-a], budget: {usd: 0.01}, checks: [t.pass]}\n");
  EXPECT_EQ(ended.exit_code, 4) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "caps leave")) << ended.out;
  EXPECT_EQ(program.run({"resources", "--rehearse", "--all"}).out, "nothing is open\n");
}
