#include "providers/emulator/books.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/temp_dir.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

Thing pod(const std::string& id, std::int64_t hourly) {
  Thing t;
  t.id = id, t.provider = "runpod", t.kind = "pod", t.name = "vt-" + id, t.marks = {{"VT_RUN", "r1"}}, t.hourly.micro = hourly,
  t.requests = {1};
  return t;
}

std::unique_ptr<Books> open(const std::string& folder, const Clock& clock) {
  auto books = Books::open(folder, clock);
  EXPECT_TRUE(books) << books.error().what;
  return std::move(books).take();
}

}  // namespace

TEST(EmulatorBooks, BillRunsOnEmulatedTimeWhileTheMeterIsOn) {
  test::TempDir folder;
  Clock clock(0.00001);  // 10 ms are 1000 emulated seconds
  auto books = open(folder.path(), clock);
  books->add(pod("a", 3'600'000'000));  // a dollar a second
  EXPECT_EQ(books->billed("a").micro, 0);
  books->meter("a", true);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  books->meter("a", false);
  auto bill = books->billed("a").micro;
  EXPECT_GE(bill, 1'000'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(books->billed("a").micro, bill) << "the meter is off";
  books->meter("a", true);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GT(books->billed("a").micro, bill) << "stretches add up";
}

TEST(EmulatorBooks, BillsAtLeastTheMinimumButNothingIfItNeverRan) {
  test::TempDir folder;
  Clock clock(1);
  auto books = open(folder.path(), clock);
  Thing vm = pod("vm", 3'600'000);
  vm.least_seconds = 60;
  books->add(vm);
  books->ended("vm", "deleted");
  EXPECT_EQ(books->billed("vm").micro, 0);
  vm.id = "other";
  books->add(vm);
  books->meter("other", true);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  books->ended("other", "deleted");
  EXPECT_EQ(books->billed("other").micro, 60'000);
}

TEST(EmulatorBooks, TheFirstEndCounts) {
  test::TempDir folder;
  Clock clock(1);
  auto books = open(folder.path(), clock);
  books->add(pod("a", 1));
  books->ended("a", "preempted");
  books->ended("a", "deleted");
  EXPECT_EQ(books->things()[0]["end"], "preempted");
}

TEST(EmulatorBooks, AreReadAgainAndCloseWhatWasOpen) {
  test::TempDir folder;
  Clock clock(1);
  {
    auto books = open(folder.path(), clock);
    books->add(pod("gone", 5));
    books->ended("gone", "deleted");
    books->add(pod("open", 5));
    Request request;
    request.number = books->next_request(), request.method = "POST", request.path = "/v2/pods", request.name = "vt-open",
    request.marks = {{"VT_RUN", "r1"}};
    books->log(request);
  }
  test::write_file(folder / "books.jsonl", test::read_file(folder / "books.jsonl") + "{\"thing\":{\"id\":\"cut");
  auto books = open(folder.path(), clock);
  json things = books->things();
  ASSERT_EQ(things.size(), 2U);
  EXPECT_EQ(things[0]["end"], "deleted");
  EXPECT_EQ(things[1]["end"], "emulator ended");
  EXPECT_NE(things[1]["gone"], 0);
  EXPECT_EQ(things[1]["marks"]["VT_RUN"], "r1");
  ASSERT_EQ(books->requests().size(), 1U);
  EXPECT_EQ(books->requests()[0]["name"], "vt-open");
  EXPECT_EQ(books->next_request(), 2U);
}

TEST(EmulatorBooks, MarksAreLabelsAndOurOwnEnvironment) {
  json body = {{"labels", {{"a", "1"}}}, {"env", {{"VT_RUN", "r"}, {"PUBLIC_KEY", "k"}}}};
  EXPECT_EQ(marks_of(body), (Marks{{"a", "1"}, {"VT_RUN", "r"}}));
  EXPECT_TRUE(marks_of(json::array()).empty());
}

}  // namespace vt::emulator
