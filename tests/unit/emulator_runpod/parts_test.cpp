#include <gtest/gtest.h>

#include "providers/emulator/runpod/api.hpp"

// Parts of the emulated RunPod that need no server.
namespace vt::emulator::runpod {

namespace {

using Words = std::vector<std::string>;

/// The errors of a 422; "none" if the body is fine, the status if it is another.
std::string errors_of(const std::string& message, const std::string& text) {
  Call call;
  call.body = text;
  json body;
  auto refusal = refuse_body(call, message, body);
  if (!refusal) return "none";
  if (refusal->status != 422) return std::to_string(refusal->status);
  EXPECT_EQ(refusal->type, "application/problem+json");
  json said = json::parse(refusal->body);
  EXPECT_EQ(said["detail"], "Request validation failed.");
  std::string all;
  for (auto& error : said["errors"]) all += (all.empty() ? "" : "|") + error.get<std::string>();
  return all;
}

}  // namespace

TEST(RunpodArgs, AreSplitLikeAShellDoes) {
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("  sleep  infinity "), (Words{"sleep", "infinity"}));
  EXPECT_EQ(words_of("bash -c 'echo \"a  b\"; sleep 1\n'"), (Words{"bash", "-c", "echo \"a  b\"; sleep 1\n"}));
  EXPECT_EQ(words_of("a\"b c\"'d e'f"), (Words{"ab cd ef"}));
  EXPECT_EQ(words_of(R"(a\ b "c\"d" "e\nf" '\g')"), (Words{"a b", "c\"d", "e\\nf", "\\g"}));
  EXPECT_EQ(words_of("x '' y"), (Words{"x", "", "y"}));
  EXPECT_EQ(words_of("'open"), (Words{"open"}));
}

TEST(RunpodVersions, AreComparedAsNumbers) {
  EXPECT_LT(cuda_number("12.8"), cuda_number("12.10"));
  EXPECT_LT(cuda_number("12.8"), cuda_number("13.0"));
  EXPECT_EQ(cuda_number("12"), cuda_number("12.0"));
  EXPECT_EQ(cuda_number("12.x"), 0);
  EXPECT_EQ(cuda_number(""), 0);
}

TEST(RunpodBodies, AreHeldAgainstTheTables) {
  std::string pod = "CreatePodRequest";
  EXPECT_EQ(errors_of(pod, R"({"name":"a","image":"i"})"), "none");
  EXPECT_EQ(errors_of(pod, R"({"name":"a","templateId":"t"})"), "none");
  EXPECT_EQ(errors_of(pod, R"({"image":"i"})"), "$: missing property 'name'");
  EXPECT_EQ(errors_of(pod, R"({"name":"a"})"), "$: missing property 'image'");
  EXPECT_EQ(errors_of(pod, R"({"name":"a","image":"i","interruptible":true})"), "$: additional properties 'interruptible' not allowed");
  EXPECT_EQ(errors_of(pod, R"({"name":"a","image":"i","gpu":{"id":"g","count":"2","x":1}})"),
            "$.gpu.count: got string, want integer|$.gpu: additional properties 'x' not allowed");
  EXPECT_EQ(errors_of(pod, R"({"name":"","image":"i","disk":0,"cloud":"ALL","gpu":{"id":"g","count":0,"minCudaVersion":"12"}})"),
            "$.name: minLength: got 0, want 1|$.disk: minimum: got 0, want 1|$.gpu.count: minimum: got 0, want 1|"
            "$.cloud: value must be one of 'SECURE', 'COMMUNITY'|$.gpu.minCudaVersion: '12' does not match pattern '^\\d+\\.\\d+$'");
  EXPECT_EQ(errors_of(pod, R"({"name":"a","image":"i","env":{"A":1}})"), "$.env.A: got number, want string");
  EXPECT_EQ(errors_of(pod, R"({"name":"a","image":"i","ports":"22/tcp"})"), "$.ports: got string, want array");
  EXPECT_EQ(errors_of(pod, "[1]"), "$: got array, want object");
  EXPECT_EQ(errors_of(pod, "{"), "400");
  EXPECT_EQ(errors_of("PodActionRequest", R"({"action":"reset"})"),
            "$.action: value must be one of 'start', 'stop', 'restart', 'terminate'");
  EXPECT_EQ(errors_of("CreateNetworkVolumeRequest", R"({"name":"v","size":9,"dataCenterId":"x"})"),
            "$: additional properties 'dataCenterId' not allowed|$: missing property 'dataCenter'");
  EXPECT_EQ(errors_of("CreateNetworkVolumeRequest", R"({"name":"v","size":5000,"dataCenter":"x"})"),
            "$.size: maximum: got 5000, want 4096");
  EXPECT_EQ(errors_of("UpdateSshKeysRequest", R"({"keys":["ssh-ed25519 AAAA me","nonsense"]})"),
            "$.keys[1]: 'nonsense' does not match pattern '^(ssh|ecdsa|sk)-\\S+ \\S+([ \\t][^\\n\\r]*)?$'");
}

}  // namespace vt::emulator::runpod
