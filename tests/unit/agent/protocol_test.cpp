#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "remote-agent/protocol/frames.hpp"

using namespace vt::protocol;
using nlohmann::json;

namespace {

Job full_job() {
  Job job;
  job.id = "r/l/c#1", job.kind = "agent", job.name = "sleep", job.args = R"({"seconds":2})", job.argv = {"a", "b c"};
  job.script = "echo x", job.interpreter = "/usr/bin/python3", job.environment = {{"KEY", "secret"}};
  job.deadline_ms = 5, job.detach = true, job.root = true, job.group = "g", job.rank = 1, job.world = 2;
  return job;
}

std::string random_bytes(std::mt19937& random, std::size_t most) {
  std::string out(random() % (most + 1), '\0');
  for (auto& c : out) c = static_cast<char>(random());
  return out;
}

}  // namespace

TEST(Frames, JobComesBackWhole) {
  auto job = full_job();
  auto back = decode_job(encode(job));
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), encode(job));
  EXPECT_EQ(back->environment.at("KEY"), "secret");
  EXPECT_EQ(back->args, R"({"seconds":2})");
  EXPECT_TRUE(back->detach && back->root);
}

TEST(Frames, ResultComesBackWhole) {
  JobResult result;
  result.id = "j", result.pid = 7, result.started_ms = 1, result.took_ms = 2, result.exit_code = 3, result.signal = 9,
  result.timed_out = true;
  result.out = {"head", "tail", 1'000'000'000'000, 5}, result.values = R"({"a":[1,2]})", result.device = "gpu0", result.error = "why";
  auto back = decode_result(encode(result));
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), encode(result));
  EXPECT_EQ(back->out.bytes, 1'000'000'000'000U);
  EXPECT_EQ(back->exit_code, 3);
  result.exit_code.reset();
  EXPECT_EQ(decode_result(encode(result))->exit_code, std::nullopt);
}

TEST(Frames, MissingOrWrongFieldsAreRefused) {
  auto good = encode(full_job());
  for (auto& [key, wrong] : std::vector<std::pair<std::string, json>>{{"job", 1},
                                                                      {"job", ""},
                                                                      {"kind", "shell"},
                                                                      {"args", "text"},
                                                                      {"argv", json::array({1})},
                                                                      {"environment", {{"A", 1}}},
                                                                      {"deadline_ms", 0},
                                                                      {"deadline_ms", "1"},
                                                                      {"detach", 1},
                                                                      {"rank", 1e30},
                                                                      {"world", std::int64_t{1} << 40}}) {
    auto bad = good;
    bad[key] = wrong;
    EXPECT_FALSE(decode_job(bad)) << key << " = " << wrong;
  }
  EXPECT_FALSE(decode_job(json::array()));
  EXPECT_FALSE(decode_job(json{{"job", "x"}, {"kind", "command"}}));
  EXPECT_FALSE(decode_result(json{{"pid", 1}}));
  EXPECT_FALSE(decode_result(json{{"job", "x"}, {"out", "text"}}));
}

TEST(Frames, UnknownFieldsAreIgnored) {
  auto frame = encode(full_job());
  frame["later"] = {{"deep", 1}};
  EXPECT_TRUE(decode_job(frame));
}

TEST(Frames, RandomFramesNeverCrash) {
  std::mt19937 random(1);
  auto text = encode(full_job()).dump();
  int parsed = 0;
  for (int i = 0; i < 20'000; i++) {
    auto bytes = text;
    bytes[random() % bytes.size()] = static_cast<char>(' ' + random() % 95);
    if (i % 4 == 0) bytes[random() % bytes.size()] = static_cast<char>(random());
    auto frame = json::parse(bytes, nullptr, false);
    parsed += !frame.is_discarded();
    auto job = decode_job(frame);
    auto result = decode_result(frame);
    EXPECT_TRUE(!job || !job->id.empty());
    EXPECT_TRUE(!result || !result->id.empty());
  }
  EXPECT_GT(parsed, 1000);
}

TEST(ValidUtf8, KeepsWhatIsValidAndReplacesTheRest) {
  EXPECT_EQ(valid_utf8("grün \xF0\x9F\x98\x80"), "grün \xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
  EXPECT_EQ(valid_utf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut";
  EXPECT_EQ(valid_utf8(std::string_view("\0x", 2)), std::string("\0x", 2));
}

TEST(ValidUtf8, AnyBytesBecomeAJsonString) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; i++) EXPECT_NO_THROW((void)json(valid_utf8(random_bytes(random, 60))).dump());
}

TEST(LineReader, SameLinesHoweverTheBytesArrive) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; i++) {
    auto bytes = random_bytes(random, 200);
    for (auto& c : bytes)
      if (random() % 10 == 0) c = '\n';
    LineReader reader;
    std::string joined;
    for (std::size_t at = 0; at < bytes.size();) {
      auto n = 1 + random() % 20;
      ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(at, n)));
      at += n;
      while (auto line = reader.next()) joined += *line + "\n";
    }
    EXPECT_EQ(joined, bytes.substr(0, bytes.rfind('\n') + 1));
  }
}

TEST(LineReader, RefusesALineOverTheLimit) {
  LineReader reader;
  EXPECT_TRUE(reader.feed(std::string(kMaxFrame, 'x') + "\n"));
  EXPECT_EQ(reader.next()->size(), kMaxFrame);
  EXPECT_TRUE(reader.feed(std::string(kMaxFrame, 'x')));
  EXPECT_FALSE(reader.feed("x"));
}
