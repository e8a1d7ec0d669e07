#include "orchestrator/model/requirement.hpp"

#include <gtest/gtest.h>

using vt::Capabilities;
using vt::Fact;
using vt::Requirement;
using vt::Value;
using State = vt::Requirement::State;

namespace {

Capabilities host() {
  Capabilities c;
  auto fact = [&](const char* id, std::optional<Value> value, const char* evidence) { c.set(Fact{id, value, evidence, {}, {}}); };
  fact("gpu", Value(2), "two 10de devices");
  fact("docker.daemon", Value(false), "no socket");
  fact("podman", Value(true), "found");
  fact("kernel.log", std::nullopt, "EACCES");
  fact("kernel.version", Value("6.8.0-45-generic"), "uname");
  return c;
}

Requirement::Answer ask(const char* text) { return Requirement::parse(text).value().evaluate(host()); }

}  // namespace

TEST(Requirement, ThreeValued) {
  EXPECT_EQ(ask("gpu").state, State::met);
  EXPECT_EQ(ask("docker.daemon").state, State::absent);
  EXPECT_EQ(ask("kernel.log").state, State::unknown);
  EXPECT_EQ(ask("never.heard.of").state, State::unknown);
  EXPECT_EQ(ask("").state, State::met);
}

TEST(Requirement, OrIsMetByOneSideAndUnknownBeatsAbsent) {
  EXPECT_EQ(ask("docker.daemon|podman").state, State::met);
  EXPECT_EQ(ask("kernel.log|podman").state, State::met);
  EXPECT_EQ(ask("docker.daemon|kernel.log").state, State::unknown);
}

TEST(Requirement, AndAbsentBeatsUnknown) {
  EXPECT_EQ(ask("kernel.log, docker.daemon").state, State::absent);
  EXPECT_EQ(ask("kernel.log, gpu").state, State::unknown);
  EXPECT_EQ(ask("gpu, docker.daemon|podman").state, State::met);
}

TEST(Requirement, ComparesNumbersAndVersions) {
  EXPECT_EQ(ask("gpu>=2").state, State::met);
  EXPECT_EQ(ask("gpu>=3").state, State::absent);
  EXPECT_EQ(ask("kernel.version>=6.13").state, State::absent);
  EXPECT_EQ(ask("kernel.version>=6.5").state, State::met);
  EXPECT_EQ(ask("gpu==2").state, State::met);
}

TEST(Requirement, NegationAndGroups) {
  EXPECT_EQ(ask("!docker.daemon").state, State::met);
  EXPECT_EQ(ask("!gpu").state, State::absent);
  EXPECT_EQ(ask("!kernel.log").state, State::unknown);
  EXPECT_EQ(ask("!(gpu, docker.daemon)").state, State::met);
}

TEST(Requirement, AnswerNamesWhatDecided) {
  auto answer = ask("gpu, docker.daemon");
  EXPECT_EQ(answer.capability, "docker.daemon");
  EXPECT_EQ(answer.evidence, "no socket");
}

TEST(Requirement, ErrorsNameThePlace) {
  for (auto bad : {"gpu>", "gpu>=", "gpu |", "(gpu", "gpu)", "gpu=>2", "GPU", "a,,b"}) {
    auto parsed = Requirement::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().what.find("at character"), std::string::npos) << parsed.error().what;
  }
}

TEST(Requirement, DeepNestingIsRefused) { EXPECT_FALSE(Requirement::parse(std::string(10'000, '(') + "gpu")); }
