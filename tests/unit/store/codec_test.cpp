#include "orchestrator/store/codec.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace vt;
using nlohmann::json;

namespace {

Value again(const Value& v) { return value_from(json::parse(json_text(to_json(v)))); }

const std::vector<EventBody> kEveryEvent{
    event::RunStarted{"blackwell", "c0ffee"},
    event::RunResumed{"someone"},
    event::LayerMoved{LayerState::deploy, "uploading"},
    event::HostReady{"h0", "Ubuntu"},
    event::CapabilityDiffers{"h0", "docker.daemon", "yes", "no", "no socket"},
    event::CheckStarted{"h0", "os.kernel", 3, 7},
    event::CheckProgress{"h0", "os.kernel", "half", 0.5},
    event::CheckJudged{"h0", "os.kernel", Verdict::skip, Cause::self_test, "no", 3, 7},
    event::ResourceMoved{"vt-a-b", "ready", "x"},
    event::Spent{Money{1'250'000}},
    event::Noted{"warn", "line\nbreak \"quoted\""},
    event::RunEnded{5, "NOT READY"},
};

}  // namespace

TEST(Codec, ValuesComeBackAsTheyWere) {
  for (auto& value : {Value(), Value(true), Value(false), Value(0), Value(INT64_MAX), Value(INT64_MIN), Value(1.0), Value(0.1), Value(""),
                      Value("ü\n"), Value(Value::List{}), Value(Value::List{1, "a", Value::List{true, Value()}})})
    EXPECT_EQ(again(value), value) << json_text(to_json(value));
}

TEST(Codec, ForeignValuesFitInToo) {
  EXPECT_EQ(value_from(json::parse(R"({"a":[1]})")), Value(R"({"a":[1]})"));
  EXPECT_EQ(value_from(json::parse("18446744073709551615")), Value(18446744073709551615.0));
  EXPECT_EQ(values_from(json::parse("[1]")), Values{});
}

TEST(Codec, BytesThatAreNotTextDoNotThrow) { EXPECT_EQ(json_text(to_json(Value("a\xff z"))), "\"a\xEF\xBF\xBD z\""); }

TEST(Codec, EveryEventComesBack) {
  ASSERT_EQ(kEveryEvent.size(), std::variant_size_v<EventBody>);
  for (std::size_t i = 0; i < kEveryEvent.size(); ++i) {
    ASSERT_EQ(kEveryEvent[i].index(), i);
    Event event{.version = 1, .sequence = 9, .at = 123, .run = "r1", .layer = "rack", .body = kEveryEvent[i]};
    auto sent = to_json(event);
    auto back = event_from(json::parse(json_text(sent)));
    ASSERT_TRUE(back) << sent;
    EXPECT_EQ(back->body.index(), i);
    EXPECT_EQ(to_json(*back), sent);
  }
}

TEST(Codec, EventsHaveTheirStoredShape) {
  Event event{.sequence = 4,
              .at = 99,
              .run = "r1",
              .layer = "rack",
              .body = event::CheckJudged{"h0", "os.kernel", Verdict::fail, Cause::host, "6.8 is below 6.13", 1, 2}};
  EXPECT_EQ(to_json(event), json::parse(R"({"v":1,"seq":4,"at":99,"run":"r1","layer":"rack","event":"check-judged","host":"h0",
    "check":"os.kernel","verdict":"fail","cause":"host","reason":"6.8 is below 6.13","number":1,"of":2})"));
}

TEST(Codec, UnknownOrBrokenEventsAreNone) {
  auto good = to_json(Event{.sequence = 1, .at = 1, .run = "r", .layer = "", .body = event::LayerMoved{LayerState::done, ""}});
  ASSERT_TRUE(event_from(good));
  for (auto& [field, bad] : std::vector<std::pair<std::string, json>>{
           {"event", "telepathy"}, {"v", 2}, {"v", "1"}, {"seq", "1"}, {"state", "asleep"}, {"state", 3}, {"detail", nullptr}}) {
    auto broken = good;
    broken[field] = bad;
    EXPECT_FALSE(event_from(broken)) << broken;
    broken.erase(field);
    EXPECT_FALSE(event_from(broken)) << broken;
  }
  EXPECT_FALSE(event_from(json::array()));
}

TEST(Codec, HostSpecsComeBackAndHoldNoSecret) {
  HostSpec host{.address = "gpu-box.example.net",
                .port = 2222,
                .user = "root",
                .identity = "/home/u/.ssh/id",
                .agent = true,
                .host_key = "SHA256:x",
                .known_hosts = "/k",
                .jump = "j@h:22",
                .jump_key = "SHA256:y",
                .serial = "S1",
                .exclusive = true,
                .where = {}};
  auto j = to_json(host);
  EXPECT_EQ(to_json(host_spec_from(j)), j);
  EXPECT_EQ(host_spec_from(j).port, 2222);
  EXPECT_EQ(host_spec_from(j).identity, "/home/u/.ssh/id");
  EXPECT_TRUE(host_spec_from(j).exclusive);
  EXPECT_EQ(host_spec_from(json::parse(R"({"port":"x"})")).port, 22);
  EXPECT_EQ(host_spec_from(json(7)).address, "");
}

TEST(Codec, JudgementsAndObservationsTellEverything) {
  Judgement judgement;
  judgement.key = {.run = "r", .layer = "l", .host = "h", .check = "c", .subject = ""};
  judgement.values = {{"value", "6.8", "at-least 6.13", "missed", "6.8 is below 6.13"}};
  auto j = to_json(judgement);
  EXPECT_EQ(j["verdict"], "error");
  EXPECT_EQ(j["values"][0]["rule"], "at-least 6.13");
  EXPECT_EQ(to_json(value_judgements_from(j["values"])), j["values"]);
  Observation observation;
  observation.took = Duration{1500}, observation.values["n"] = 3, observation.out = {.head = "a", .tail = "z", .bytes = 9, .lines = 2};
  auto o = to_json(observation);
  EXPECT_TRUE(o["exit_code"].is_null());
  EXPECT_EQ(o["took_ms"], 1500);
  EXPECT_EQ(o["out"], json::parse(R"({"head":"a","tail":"z","bytes":9,"lines":2})"));
}
