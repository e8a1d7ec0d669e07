#include "orchestrator/report/why.hpp"

#include "orchestrator/report/json.hpp"
#include "orchestrator/report/markdown.hpp"
#include "orchestrator/report/surprises.hpp"
#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

TEST(Why, TellsTheWholeStoryOfOneCheck) {
  RunBuilder b;
  b.check("os.kernel", "Kernel version");
  auto& check = b.catalogue.checks.back();
  check.why = "Blackwell's open driver is only tested on recent kernels", check.remedy = "Install a newer kernel and reboot";
  check.how = CommandRun{{"uname", "-r"}};
  b.layer("cube", {"os.kernel"}), b.layer("pod", {"os.kernel"}), b.layer("late", {"os.kernel"});
  auto earlier = b.run;
  earlier.id = "20261119-080000-aaaa", earlier.started -= 86'400'000;
  auto& store = b.start();
  LayerRow cube;
  cube.run = earlier.id, cube.name = "cube";
  ASSERT_TRUE(store.add_run(earlier, {cube}, {}));
  auto old = b.judged("cube", "os.kernel", Verdict::pass);
  old.key.run = earlier.id, old.at -= 86'400'000;
  old.values = {{"value", "6.14.0", "at-least 6.13", "held", ""}};
  b.add(old);

  auto j = b.judged("cube", "os.kernel", Verdict::fail, Cause::check, "6.8.0 is below 6.13");
  j.values = {{"value", "6.8.0-45-generic", "at-least 6.13", "missed", "6.8.0 is below 6.13"}, {"machine", "x86_64", "", "recorded", ""}};
  Observation seen;
  seen.key = j.key, seen.started = b.clock.wall_ms, seen.took = Duration{12}, seen.exit_code = 0;
  seen.out = {"6.8.0-45-generic\n", "", 17, 1};
  b.add(j, &seen);
  SeriesRow power;
  power.run = RunBuilder::kRun, power.layer = "cube", power.host = "cube", power.check = "os.kernel", power.name = "power",
  power.unit = "W";
  power.device = "GPU-1", power.count = 300, power.min = 402, power.mean = 561.25, power.max = 575;
  ASSERT_TRUE(store.add_series({power}));
  if (auto added = store.add_artefact({RunBuilder::kRun, "cube", "cube", "os.kernel", "kernel", "", 0, 0}, "log"); !added)
    FAIL() << added.error().what;
  b.skip("pod", "host.kernel", "pods share the host's", {"os.kernel"});
  for (auto layer : {"cube", "pod", "late"}) b.move(layer, LayerState::done);

  auto text = why_text(store, b.view(), "os.kernel", &check, {});
  ASSERT_TRUE(text) << text.error().what;
  EXPECT_EQ(*text,
            "os.kernel  Kernel version\n"
            "  why:    Blackwell's open driver is only tested on recent kernels\n"
            "  shows:  OS-01, gate\n"
            "  runs:   uname -r\n"
            "\n"
            "cube: fail (check)\n"
            "  measured 6.8.0-45-generic, required at-least 6.13 (6.8.0 is below 6.13)\n"
            "  machine: measured x86_64\n"
            "  ran:    2026-11-20T10:30:00Z, took 12ms, exit status 0\n"
            "  series: power 561.2 W (402 to 575) on GPU-1, 300 values\n"
            "  output: 6.8.0-45-generic\n"
            "  kept:   kernel; vault-test logs 20261120-103000-k3x9 cube os.kernel\n"
            "\n"
            "pod: skip (capability)\n"
            "  host.kernel: pods share the host's\n"
            "  covered by cube\n"
            "\n"
            "late: no verdict\n"
            "\n"
            "earlier:\n"
            "  2026-11-19T10:30:00Z  cube  pass  @4c1d9e2  6.14.0\n"
            "\n"
            "do: Install a newer kernel and reboot\n");
}

TEST(Why, AnUnknownCheckComesWithTheNearest) {
  RunBuilder b;
  fill_quickstart(b);
  auto text = why_text(b.store(), b.view(), "os.kernl", nullptr, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::not_found);
  EXPECT_EQ(text.error().what, "run 20261120-103000-k3x9 has no check 'os.kernl'; did you mean 'os.kernel'?");
}

TEST(Why, WorksWithoutTheCatalogue) {
  RunBuilder b;
  fill_quickstart(b);
  auto text = why_text(b.store(), b.view(), "gpu.count", nullptr, {});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("  gpu: no PCI 10de device"), std::string::npos) << *text;
  EXPECT_NE(text->find("UNPROVEN"), std::string::npos) << *text;
}

TEST(MeasuredLines, NameOfAListOnlyWhichMissed) {
  Judgement j;
  j.values = {{"health", "ok, XID 79, XID 48", "equals ok", "missed", "#1: measured XID 79, required ok, and 1 more"},
              {"value", "9, 5 GB/s", "at-least 7 GB/s", "missed", "#1: measured 5 GB/s, required at-least 7 GB/s"}};
  EXPECT_EQ(measured_lines(j, false), (std::vector<std::string>{"health: measured ok, XID 79, XID 48, required ok (#1, and 1 more)",
                                                                "measured 9, 5 GB/s, required at-least 7 GB/s (#1)"}));
}

TEST(Why, AndTheReportsTellWhetherItsMakersTriedItOnHardware) {
  RunBuilder b;
  b.check("gemm.bf16", "BF16 products");
  b.layer("cube", {"gemm.bf16"});
  auto& store = b.start();
  b.add(b.judged("cube", "gemm.bf16", Verdict::pass));
  b.finish(0);
  auto view = b.view();
  auto why = [&] { return why_text(store, view, "gemm.bf16", &b.catalogue.checks[0], {}).value_or(""); };
  auto has = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_FALSE(has(why(), "tried:"));
  view.never_on_hardware = {"gemm.bf16"};
  EXPECT_TRUE(has(why(), "  tried:  never on hardware by its makers\n")) << why();
  EXPECT_TRUE(has(markdown_report(view, b.catalogue), "Never run on hardware by their makers: `gemm.bf16`"));
  view.never_on_hardware.clear(), view.last_on_hardware = {{"gemm.bf16", "NVIDIA H200, 2026-11-20"}};
  EXPECT_TRUE(has(why(), "  tried:  on hardware by its makers: NVIDIA H200, 2026-11-20\n")) << why();
  EXPECT_TRUE(has(json_report(view, b.catalogue), R"("gemm.bf16": "NVIDIA H200, 2026-11-20")"));
}

}  // namespace
}  // namespace vt
