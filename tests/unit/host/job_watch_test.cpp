#include "orchestrator/host/job_watch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vt {
namespace {

using nlohmann::json;

class JobWatching : public testing::Test {
 protected:
  JobWatching() {
    job_.id = "r/l/c#1", job_.rank = 3;
    listener_.progress = [this](auto& text, double fraction) { heard_ += text + "@" + std::to_string(fraction).substr(0, 4) + " "; };
    listener_.other = [this](auto& frame) { heard_ += json::parse(frame)["t"].template get<std::string>() + " "; };
  }
  json frame(const std::string& t, int seq) { return {{"t", t}, {"job", job_.id}, {"seq", seq}}; }
  json result(int seq) {
    protocol::JobResult result;
    result.id = job_.id, result.exit_code = 0;
    json out = protocol::encode(result);
    out["seq"] = seq;
    return out;
  }

  protocol::Job job_;
  JobListener listener_;
  std::string heard_;
  Broker broker_;
  JobWatch watch_{job_, listener_, &broker_};
};

TEST_F(JobWatching, PassesFramesOnAndEndsWithTheResult) {
  ASSERT_TRUE(watch_.take(frame("started", 1)));
  auto progress = frame("progress", 2);
  progress["text"] = "half", progress["fraction"] = 0.5;
  ASSERT_TRUE(watch_.take(progress));
  ASSERT_TRUE(watch_.take(frame("metric", 3)));
  ASSERT_TRUE(watch_.take(frame("log", 4)));
  EXPECT_EQ(heard_, "half@0.50 metric log ");
  auto end = watch_.take(result(5));
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((**end).exit_code, 0);
}

TEST_F(JobWatching, DropsRepeatedFramesAndOtherJobs) {
  ASSERT_TRUE(watch_.take(frame("log", 1)));
  ASSERT_TRUE(watch_.take(frame("log", 1)));
  auto other = frame("log", 2);
  other["job"] = "someone else's";
  ASSERT_TRUE(watch_.take(other));
  EXPECT_EQ(heard_, "log ");
  EXPECT_EQ(watch_.last(), 1);
  auto first = watch_.take(result(2)), again = watch_.take(result(2));
  ASSERT_TRUE(first && again);
  EXPECT_TRUE(first->has_value());
  EXPECT_FALSE(again->has_value());  // exactly once
}

TEST_F(JobWatching, AMissingFrameIsNoticed) {
  ASSERT_TRUE(watch_.take(frame("log", 1)));
  auto gap = watch_.take(frame("log", 3));
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, Errc::transport);
  EXPECT_EQ(gap.error().what, "agent: frame 2 of r/l/c#1 is missing");
  EXPECT_EQ(watch_.last(), 1);
}

TEST_F(JobWatching, ErrorsAreOfTheirKind) {
  auto unknown = watch_.take({{"t", "error"}, {"what", "no such job"}, {"job", job_.id}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::not_found);
  auto refused = watch_.take({{"t", "error"}, {"what", "unknown \x1b[2J"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_EQ(refused.error().what, "agent: unknown \\x1b[2J");
  auto nonsense = result(1);
  nonsense["pid"] = "many";
  auto unreadable = watch_.take(nonsense);
  ASSERT_FALSE(unreadable);
  EXPECT_EQ(unreadable.error().code, Errc::internal);
}

TEST_F(JobWatching, PublishesUnderItsRank) {
  auto publish = frame("publish", 1);
  publish["group"] = "g", publish["key"] = "id", publish["data"] = "YQ==";
  ASSERT_TRUE(watch_.take(publish));
  std::size_t seen = 0;
  auto messages = broker_.others("g", 0, seen);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].rank, 3);
  EXPECT_EQ(messages[0].data, "YQ==");
}

}  // namespace
}  // namespace vt
