// P4 and P5: a row is closed only once the provider has stopped billing; a failed, partial or empty list is never taken for absence.
#include <signal.h>

#include <chrono>
#include <thread>

#include "promise.hpp"

using namespace vt::test;
using nlohmann::json;

namespace {

struct Trouble {
  const char* name;
  const char* promise;
  json faults;
  bool late;  ///< it goes on for long
  friend std::ostream& operator<<(std::ostream& out, const Trouble& t) { return out << t.name; }
};

/// Of several promises, so that the promise is told by the trouble.
class Deletion : public Promise, public testing::WithParamInterface<std::tuple<std::string, Trouble>> {
 protected:
  Deletion() : Promise(std::get<1>(GetParam()).promise) {}

  /// A host whose run was killed, and clouds that make trouble from now on.
  void leave_a_host() {
    auto& [provider, trouble] = GetParam();
    begin();
    program->environment["VAULT_TEST_FAILPOINT"] = provider == "gcp" ? "gcp.host_key=kill" : "runpod.poll=kill@2";
    vault({"run", plan_of({layer(provider, 1)})});
    program->environment.clear();
    ASSERT_EQ(books().made, 1);
    auto faults = trouble.faults;
    for (auto& fault : faults) fault["api"] = provider;
    ASSERT_TRUE(clouds.post("faults", faults).is_object());
  }
  /// A person who does not wait for the end of it.
  void reap_impatiently() {
    auto pid = start({"reap"});
    for (int i = 0; i < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1500)), kill(pid, SIGINT);
    auto ended = program->wait(30);
    EXPECT_EQ(ended.exit_code, 5) << ended.out << ended.err;
    EXPECT_EQ(books().alive > 0, std::get<1>(GetParam()).late);
    EXPECT_TRUE(open(rows())) << ended.out;
    count("open_while_in_trouble");
  }
  static bool open(const json& rows) {
    for (auto& row : rows)
      if (row["state"] != "gone") return true;
    return rows.empty();
  }
};

#ifdef VT_FAILPOINTS

TEST_P(Deletion, IsOnlyBelievedOnceConfirmed) {
  leave_a_host();
  if (std::get<1>(GetParam()).late) reap_impatiently();
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (open(rows()) && std::chrono::steady_clock::now() < until) {
    auto reaped = vault({"reap"});
    bool there = books().alive > 0, is_open = open(rows());
    EXPECT_TRUE(is_open || !there) << "closed, and it is billed";
    EXPECT_EQ(reaped.exit_code, is_open ? 5 : 0) << reaped.out << reaped.err;
    EXPECT_EQ(vault({"resources"}).exit_code, is_open ? 5 : 0);
    count("open_while_in_trouble", is_open);
  }
  expect_kept(1);
  EXPECT_FALSE(open(rows())) << rows().dump(1);
}

std::vector<Trouble> troubles() {
  auto on_delete = [](const char* kind, int seconds = 0) {
    json fault{{"call", "delete"}, {"kind", kind}};
    if (seconds > 0) fault["seconds"] = seconds, fault["probability"] = 1;  // whoever asks again does not get it sooner
    else fault["nth"] = 1;
    return json::array({fault});
  };
  auto on_lists = [](const char* kind, int lists) {
    json out = json::array();
    for (int n = 1; n <= lists; ++n) out.push_back({{"call", "list"}, {"nth", n}, {"kind", kind}});
    return out;
  };
  return {{"StaysForLong", "P4", on_delete("undead", 900), true},
          {"StaysForAMoment", "P4", on_delete("undead", 20), false},
          {"LostBefore", "P4", on_delete("lost-before"), false},
          {"LostAfter", "P4", on_delete("lost-after"), false},
          {"ErrorAfter", "P4", on_delete("error-after"), false},
          {"Unavailable", "P4", on_delete("unavailable"), false},
          {"Rate", "P4", on_delete("rate"), false},
          {"TokenExpired", "P4", on_delete("expired"), false},
          {"ListsFail", "P5", on_lists("unavailable", 60), false},
          {"ListsAreLost", "P5", on_lists("lost-before", 10), false},
          {"ListsAreCut", "P5", on_lists("truncated", 10), false},
          {"ListsArePartial", "P5", on_lists("partial", 10), false}};
}
std::string trouble_name(const testing::TestParamInfo<std::tuple<std::string, Trouble>>& info) {
  return std::get<1>(info.param).name + std::string(std::get<0>(info.param) == "gcp" ? "Gcp" : "RunPod");
}
INSTANTIATE_TEST_SUITE_P(When, Deletion, testing::Combine(testing::Values("gcp", "runpod"), testing::ValuesIn(troubles())), trouble_name);

#endif

}  // namespace
