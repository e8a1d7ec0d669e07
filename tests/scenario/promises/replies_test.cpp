// P2: a lost, late or false reply to create never makes a second paid instance.
#include "promise.hpp"

using namespace vt::test;
using nlohmann::json;

namespace {

struct Reply {
  const char* name;
  std::vector<const char*> faults;
  int seconds;  ///< emulated; 0: as the fault has it
  friend std::ostream& operator<<(std::ostream& out, const Reply& r) { return out << r.name; }
};

class CreateReply : public Promise, public testing::WithParamInterface<std::tuple<std::string, Reply>> {
 protected:
  CreateReply() : Promise("P2") {}

  std::string faults() const {
    auto& [provider, reply] = GetParam();
    json plan = json::array();
    for (auto kind : reply.faults) {
      plan.push_back({{"api", provider}, {"call", "create"}, {"nth", 1}, {"kind", kind}});
      if (reply.seconds > 0) plan.back()["seconds"] = reply.seconds;
    }
    return plan.dump();
  }
};

TEST_P(CreateReply, MakesNoSecondHost) {
  begin({"auto", faults(), 0});
  auto ended = vault({"run", plan_of({layer(std::get<0>(GetParam()), 1)})});
  EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 3 || ended.exit_code == 5) << ended.exit_code << ended.out << ended.err;
  count("faults_met", clouds.requests().dump().find(std::get<1>(GetParam()).faults.front()) != std::string::npos);
  // A thing that appears late may need a second look.
  expect_kept(1, 30);
  EXPECT_GT(books().creates, 0);
}

std::vector<Reply> replies() {
  return {{"LostBefore", {"lost-before"}, 0},
          {"LostAfter", {"lost-after"}, 0},
          {"ErrorAfter", {"error-after"}, 0},
          {"Conflict", {"conflict"}, 0},
          {"Truncated", {"truncated"}, 0},
          {"TlsAlert", {"tls"}, 0},
          {"Slow", {"slow"}, 100},
          {"Unavailable", {"unavailable"}, 0},
          {"Late", {"late"}, 60},
          {"LostAndLate", {"lost-after", "late"}, 60},
          {"LostAndVeryLate", {"lost-after", "late"}, 400},
          {"ErrorAndLate", {"error-after", "late"}, 60}};
}
std::string reply_name(const testing::TestParamInfo<std::tuple<std::string, Reply>>& info) {
  return std::get<1>(info.param).name + std::string(std::get<0>(info.param) == "gcp" ? "Gcp" : "RunPod");
}
INSTANTIATE_TEST_SUITE_P(To, CreateReply, testing::Combine(testing::Values("gcp", "runpod"), testing::ValuesIn(replies())), reply_name);

}  // namespace
