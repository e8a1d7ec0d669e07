#include "orchestrator/report/progress.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/store/codec.hpp"
#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

using namespace event;

/// Events as an engine would store them, one second apart.
std::vector<Event> story() {
  std::vector<Event> out;
  auto say = [&](const std::string& layer, EventBody body) {
    Event e;
    e.sequence = static_cast<std::int64_t>(out.size()) + 1, e.at = 1'795'170'600'000 + e.sequence * 1000;
    e.run = "r", e.layer = layer, e.body = std::move(body);
    out.push_back(e);
  };
  say("", RunStarted{"quickstart", "@4c1d9e2 clean"});
  say("laptop", LayerMoved{LayerState::connect, "this machine"});
  say("podlike", LayerMoved{LayerState::acquire, ""});
  say("laptop", CapabilityDiffers{"laptop", "dmesg.read", "no", "yes", "read one"});
  say("laptop", LayerMoved{LayerState::execute, ""});
  say("laptop", CheckStarted{"laptop", "os.release", 1, 4});
  say("laptop", CheckJudged{"laptop", "os.release", Verdict::pass, Cause::none, "", 1, 4});
  say("laptop", CheckStarted{"laptop", "os.kernel", 2, 4});
  say("laptop", CheckJudged{"laptop", "os.kernel", Verdict::fail, Cause::check, "6.8.0 is below 6.13", 2, 4});
  say("laptop", CheckJudged{"laptop", "gpu.count", Verdict::skip, Cause::capability, "gpu: none", 3, 4});
  say("laptop", CheckStarted{"laptop", "disk.soak", 4, 4});
  say("laptop", CheckProgress{"laptop", "disk.soak", "2 GiB", 0.25});
  say("podlike", LayerMoved{LayerState::failed, "TCP: refused"});
  say("podlike", Spent{Money{450'000}});
  say("laptop", CheckJudged{"laptop", "disk.soak", Verdict::pass, Cause::none, "", 4, 4});
  say("laptop", LayerMoved{LayerState::done, ""});
  say("", RunEnded{3, "INCOMPLETE: 1 failure"});
  return out;
}

std::string all_of(ProgressWriter& writer, const std::vector<Event>& events) {
  std::string out;
  for (auto& e : events) out += writer.see(e);
  return out + writer.close();
}

/// What a terminal shows after these bytes: lines, where "ESC[nA" moves up and "ESC[J" clears from there on.
std::string screen_after(const std::string& bytes) {
  std::vector<std::string> lines{""};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') lines.emplace_back();
    else if (bytes[i] == '\r') lines.back() = lines.back();
    else if (bytes[i] == '\x1b') {
      auto end = bytes.find_first_of("AJm", i);
      if (bytes[end] == 'A') lines.resize(lines.size() - std::stoul(bytes.substr(i + 2)));
      if (bytes[end] == 'J') lines.back().clear();
      i = end;
    } else lines.back() += bytes[i];
  }
  std::string out;
  for (auto& line : lines) out += line + "\n";
  return out;
}

TEST(PlainProgress, IsOneCalmLinePerEventWorthReading) {
  auto writer = make_progress(ProgressMode::plain, {}, false);
  EXPECT_EQ(all_of(*writer, story()),
            "10:30:01 run started: quickstart, subject @4c1d9e2 clean\n"
            "10:30:02 laptop: connect, this machine\n"
            "10:30:03 podlike: acquire\n"
            "10:30:04 DIFFERS dmesg.read on laptop: expected no, found yes (read one)\n"
            "10:30:05 laptop: execute\n"
            "10:30:09 FAIL os.kernel on laptop: 6.8.0 is below 6.13\n"
            "10:30:13 FAILED podlike: TCP: refused\n"
            "10:30:14 podlike: cost $0.45 so far\n"
            "10:30:16 laptop: done, 2 pass, 1 fail, 1 skip\n"
            "10:30:17 INCOMPLETE: 1 failure\n");
}

TEST(PlainProgress, MentionsALongCheckOnceAMinute) {
  auto writer = make_progress(ProgressMode::plain, {}, false);
  Event e;
  e.at = 1'795'170'600'000, e.layer = "cube", e.body = CheckStarted{"cube", "soak", 1, 1};
  EXPECT_EQ(writer->see(e), "");
  std::string out;
  for (int second = 1; second <= 130; ++second) {
    e.at += 1000, e.body = CheckProgress{"cube", "soak", std::to_string(second) + " s", -1};
    out += writer->see(e);
  }
  EXPECT_EQ(out, "10:31:00 cube: soak 60 s\n10:32:00 cube: soak 120 s\n");
}

TEST(PlainProgress, TellsTheMeterOnceAMinuteAndAtTheEnd) {
  auto writer = make_progress(ProgressMode::plain, {}, false);
  Event e;
  e.at = 1'795'170'600'000, e.layer = "pod";
  std::string out;
  for (int second = 0; second <= 130; ++second) {
    e.body = Spent{Money{second < 100 ? second * 1'250 : 100 * 1'250}};
    out += writer->see(e);
    e.at += 1000;
  }
  e.body = LayerMoved{LayerState::done, ""};
  out += writer->see(e);
  EXPECT_EQ(out,
            "10:30:08 pod: cost $0.01 so far\n"
            "10:31:08 pod: cost $0.09 so far\n"
            "10:32:08 pod: cost $0.13 so far\n"
            "10:32:11 pod: done, cost $0.13\n");
}

TEST(LiveProgress, LeavesFailuresAboveOneLinePerLayer) {
  auto writer = make_progress(ProgressMode::live, {}, false);
  auto screen = screen_after(all_of(*writer, story()));
  EXPECT_EQ(screen,
            "DIFFERS dmesg.read on laptop: expected no, found yes (read one)\n"
            "FAIL os.kernel on laptop: 6.8.0 is below 6.13\n"
            "FAILED podlike: TCP: refused\n"
            "laptop   done       [################] 4/4   2 pass   1 fail   1 skip\n"
            "podlike  failed     [................] 0/0   0 pass   0 fail   0 skip  $0.45  TCP: refused\n"
            "\n");
}

TEST(LiveProgress, ShowsTheRunningStepAndHowFarItIs) {
  auto writer = make_progress(ProgressMode::live, {}, false);
  auto events = story();
  events.resize(12);
  EXPECT_NE(screen_after(all_of(*writer, events))
                .find("laptop   execute    [############....] 3/4   1 pass   1 fail   1 skip  disk.soak 25% 2 GiB\n"),
            std::string::npos)
      << screen_after(all_of(*writer, events));
}

TEST(LiveProgress, NeverWritesALineWiderThanTheTerminal) {
  for (std::size_t width : {20U, 40U, 80U}) {
    auto writer = make_progress(ProgressMode::live, {width, false}, true);
    auto lines = screen_after(all_of(*writer, story()));
    std::size_t from = lines.find("REHEARSAL");
    ASSERT_NE(from, std::string::npos);
    for (std::size_t end; (end = lines.find('\n', from)) != std::string::npos; from = end + 1) EXPECT_LT(end - from, width);
  }
}

TEST(LiveProgress, WritesNothingWhenNothingChanged) {
  auto writer = make_progress(ProgressMode::live, {}, false);
  Event e;
  e.layer = "laptop", e.body = LayerMoved{LayerState::probe, ""};
  EXPECT_NE(writer->see(e), "");
  EXPECT_EQ(writer->see(e), "");
}

TEST(Progress, AHostCannotDriveTheTerminal) {
  Event e;
  e.layer = "pod", e.body = CheckJudged{"pod", "os.kernel", Verdict::fail, Cause::check, "\x1b[2J\x1b]0;owned\x07 line\nbreak", 1, 1};
  for (auto mode : {ProgressMode::live, ProgressMode::plain}) {
    auto bytes = make_progress(mode, {}, false)->see(e);
    EXPECT_EQ(bytes.find('\x1b'), std::string::npos) << bytes;
    EXPECT_NE(bytes.find("\\x1b[2J"), std::string::npos) << bytes;
    EXPECT_NE(bytes.find(" line break"), std::string::npos) << bytes;
  }
}

TEST(Progress, WhatIsLeftBehindIsNamedOnce) {
  Event e;
  e.sequence = 1, e.layer = "vm", e.body = ResourceMoved{"vt-1", "open", "vt-1: not confirmed"};
  auto writer = make_progress(ProgressMode::plain, {}, false);
  auto line = writer->see(e);
  EXPECT_NE(line.find("LEFT BEHIND vt-1: not confirmed\n"), std::string::npos) << line;
}

TEST(Progress, RehearsalIsMarkedOnEveryLine) {
  auto writer = make_progress(ProgressMode::plain, {}, true);
  for (auto& e : story()) {
    auto line = writer->see(e);
    EXPECT_TRUE(line.empty() || line.substr(8, 11) == " REHEARSAL ") << line;
  }
}

TEST(JsonProgress, IsOneDocumentPerEventThatReadsBack) {
  auto writer = make_progress(ProgressMode::json, {}, false);
  std::int64_t next = 1;
  for (auto& e : story()) {
    auto line = writer->see(e);
    ASSERT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    auto back = event_from(nlohmann::json::parse(line));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->sequence, next++);
    EXPECT_EQ(back->body.index(), e.body.index());
  }
}

TEST(JsonProgress, SurvivesTextThatIsNotUtf8) {
  Event e;
  e.body = Noted{"info", "\xff\xfe"};
  EXPECT_NO_THROW(EXPECT_FALSE(make_progress(ProgressMode::json, {}, false)->see(e).empty()));
}

TEST(Progress, HandsTheBytesOn) {
  std::string seen;
  Progress progress(make_progress(ProgressMode::plain, {}, false), [&](std::string_view bytes) { seen += bytes; });
  for (auto& e : story()) progress.see(e);
  progress.close();
  EXPECT_NE(seen.find("FAIL os.kernel"), std::string::npos);
}

}  // namespace
}  // namespace vt
