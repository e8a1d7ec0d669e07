#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "remote-agent/base/os.hpp"
#include "tests/support/temp_dir.hpp"

using nlohmann::json;
using vt::agent::boot_ms;

namespace {

/// One worker: a check, its task, and what it says until it has ended.
class Worker {
 public:
  Worker(const std::string& check, json args, json task = json::object()) {
    auto in = vt::agent::make_pipe(), out = vt::agent::make_pipe();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in.read.get(), 0), dup2(out.write.get(), 1);
      execl(VT_BIN_DIR "/vt_fan_out_agent", "vt_fan_out_agent", "--worker", check.c_str(), nullptr);
      _exit(127);
    }
    in_ = std::move(in.write), out_ = std::move(out.read);
    args["device"] = "cpu";
    task["args"] = std::move(args);
    if (!task.contains("deadline_ms")) task["deadline_ms"] = 20'000;
    tell(task);
  }
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;

  void tell(const json& frame) const { vt::agent::write_all(in_.get(), frame.dump() + "\n"); }
  /// The next frame of a kind; null if it ended before, or after 20 s.
  json next(const std::string& kind) {
    constexpr int kMs = 20'000;
    for (auto end = boot_ms() + kMs;;) {
      for (std::size_t at; (at = buffer_.find('\n')) != std::string::npos;) {
        seen_.push_back(json::parse(buffer_.substr(0, at)));
        buffer_.erase(0, at + 1);
        if (seen_.back()["t"] == kind) return seen_.back();
      }
      if (!vt::agent::wait_readable(out_.get(), end - boot_ms())) return nullptr;
      auto chunk = vt::agent::read_chunk(out_.get());
      if (chunk.end) return nullptr;
      buffer_ += chunk.bytes;
    }
  }
  json values() { return next("values"); }
  [[nodiscard]] const std::vector<json>& seen() const { return seen_; }

 private:
  pid_t pid_ = 0;
  vt::agent::Fd in_, out_;
  std::string buffer_;
  std::vector<json> seen_;
};

json run(const std::string& check, json args, json task = json::object()) {
  return Worker(check, std::move(args), std::move(task)).values();
}

}  // namespace

TEST(FanOut, OrdinaryChecksRunInTheWorkerItself) {
  auto out = run("plain", {});
  EXPECT_EQ(out["values"], json({{"plain", true}}));
  EXPECT_EQ(out["device"], "host");
}

TEST(FanOut, ValuesOfEveryRankBecomeLists) {
  Worker worker("figures", {{"ranks", 3}, {"culprit", 1}});
  auto out = worker.values();
  EXPECT_EQ(out["error"], "");
  EXPECT_EQ(out["device"], "cpu");
  auto& values = out["values"];
  EXPECT_EQ(values["rank"], json({0, 1, 2}));
  EXPECT_EQ(values["world"], json({3, 3, 3}));
  EXPECT_EQ(values["cpu"], json({true, true, true}));
  EXPECT_EQ(values["only_one"], json({nullptr, true, nullptr}));  // entry i is GPU i, also where only one has it
  EXPECT_EQ(values["health"], json({"ok", "ok", "ok"}));
  EXPECT_EQ(values["gpu"], json({"cpu", "cpu", "cpu"}));
  EXPECT_EQ(values["telemetry"].size(), 3U);
  EXPECT_EQ(values["conditions"], json({"not sampled", "not sampled", "not sampled"}));
  EXPECT_EQ(values["rung"], json({"cpu", "cpu", "cpu"}));
  auto metrics =
      std::count_if(worker.seen().begin(), worker.seen().end(), [](auto& f) { return f["t"] == "metric" && f["device"] == "cpu"; });
  EXPECT_EQ(metrics, 3);
}

TEST(FanOut, OneRankIsTheDefaultOnTheProcessor) { EXPECT_EQ(run("figures", {})["values"]["rank"], json({0})); }

TEST(FanOut, AHangCostsThatRankOnlyAndIsToldByWhatItDid) {
  auto start = boot_ms();
  auto out = run("hangs", {{"ranks", 3}, {"culprit", 2}}, {{"deadline_ms", 3000}});
  EXPECT_LT(boot_ms() - start, 3000);
  EXPECT_EQ(out["error"], "");  // the health says it all
  auto& health = out["values"]["health"];
  EXPECT_EQ(health[0], "ok");
  EXPECT_EQ(health[1], "ok");
  EXPECT_TRUE(health[2].get<std::string>().starts_with("hung in all_reduce 8 MiB")) << health;
  EXPECT_EQ(out["values"]["wrong"], json({0, 0, nullptr}));
  EXPECT_EQ(out["values"]["rung"], json({"cpu", "cpu", "cpu"})) << "also of the one that hung";
}

TEST(FanOut, WhatIsOnlySlowIsNoHang) {
  auto out = run("dawdles", {}, {{"deadline_ms", 2400}});
  EXPECT_EQ(out["error"], "did not end in time (was in step)");
  EXPECT_EQ(out["values"]["health"], json({"ok"}));
}

TEST(FanOut, ACrashCostsThatRankOnly) {
  auto out = run("crashes", {{"ranks", 2}, {"culprit", 0}});
  EXPECT_EQ(out["error"], "");
  EXPECT_EQ(out["values"]["health"], json({"crashed (signal 9)", "ok"}));
  EXPECT_EQ(out["values"]["wrong"], json({nullptr, 0}));
}

TEST(FanOut, ADeviceThatIsGivenUpIsAHang) { EXPECT_EQ(run("gives_up", {})["values"]["health"], json({"hung in broadcast 1 KiB"})); }

TEST(FanOut, WhoeverCannotMeasureMakesItAnError) {
  auto out = run("refuses", {{"ranks", 2}, {"culprit", 1}});
  EXPECT_EQ(out["error"], "cpu: no memory left");
  EXPECT_EQ(out["values"]["health"], json({"ok", "ok"}));
}

TEST(FanOut, RanksHearEachOther) {
  auto out = run("meets", {{"ranks", 3}});
  EXPECT_EQ(out["error"], "");
  json all = {"0000", "0001", "0002"};
  EXPECT_EQ(out["values"]["heard"], json({all, all, all}));
}

TEST(FanOut, TheLossOfOneEndsThoseThatWaitForIt) {
  auto start = boot_ms();
  auto out = run("meets", {{"ranks", 2}, {"culprit", 1}, {"die", true}}, {{"deadline_ms", 12'000}});
  EXPECT_LT(boot_ms() - start, 9000);  // not at the end of the time
  EXPECT_EQ(out["values"]["health"], json({"ok", "crashed (signal 9)"}));
  EXPECT_EQ(out["error"], "");
}

TEST(FanOut, OneAfterAnotherIfAsked) {
  vt::test::TempDir folder;
  run("takes_turns", {{"ranks", 3}, {"one_by_one", true}, {"file", folder / "log"}});
  EXPECT_EQ(vt::test::read_file(folder / "log"), "begin0 end0 begin1 end1 begin2 end2 ");
}

TEST(FanOut, OneProcessHasAllDevices) {
  auto out = run("has_all", {{"ranks", 2}});
  EXPECT_EQ(out["values"]["devices"], 2);
  EXPECT_EQ(out["values"]["list"], json({1, 2, 3}));
  EXPECT_EQ(out["values"]["health"], json({"ok", "ok"}));
  EXPECT_EQ(run("has_all", {{"ranks", 2}, {"die", true}})["values"]["health"], json({"crashed (signal 9)", "crashed (signal 9)"}));
}

TEST(FanOut, WhatAChildLeavesBehindHoldsNobodyUp) {
  auto start = boot_ms();
  EXPECT_EQ(run("leaves_one", {})["values"]["wrong"], json({0}));
  EXPECT_LT(boot_ms() - start, 5000);
}

TEST(FanOut, HostsOfAGroupAreOneWorld) {
  Worker worker("meets", {{"ranks", 2}}, {{"group", "g"}, {"rank", 1}, {"world", 2}});
  auto announced = worker.next("publish");
  EXPECT_EQ(announced["key"], "gpus.1");
  EXPECT_EQ(announced["data"], "0002");
  worker.tell({{"t", "deliver"}, {"key", "gpus.0"}, {"data", "0001"}});  // the other host has one GPU
  EXPECT_EQ(worker.next("publish")["group"], "g");
  worker.tell({{"t", "deliver"}, {"key", "from0"}, {"data", "0000"}});
  auto out = worker.values();
  json all = {"0000", "0001", "0002"};
  EXPECT_EQ(out["values"]["heard"], json({all, all})) << out;
}

TEST(FanOut, AHostThatSaysNothingIsNoFaultOfTheGpus) {
  auto out = run("meets", {}, {{"group", "g"}, {"rank", 0}, {"world", 2}, {"deadline_ms", 2400}});
  EXPECT_EQ(out["error"], "the other hosts did not say in time how many GPUs they have");
  EXPECT_EQ(out["values"]["health"], json({"ok"}));
}
