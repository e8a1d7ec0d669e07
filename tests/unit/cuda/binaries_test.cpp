#include <gtest/gtest.h>

#include "remote-agent/checks/check.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/cuda/fatbin_file.hpp"

namespace vt::checks {
namespace {

class Silent : public Reporter {
  void progress(const std::string&, double) override {}
  void metric(const std::string&, double, const std::string&, const std::string&) override {}
  void publish(const std::string&, const std::string&) override {}
  std::optional<std::string> await(const std::string&) override { return std::nullopt; }
};

Outcome run(const nlohmann::json& args) {
  Silent reporter;
  Task task;
  task.args = args;
  return find("cuda.binaries")->run(task, reporter);
}

TEST(Binaries, NamesTheLibraryThatDoesNotRunOnTheGpu) {
  test::TempDir folder;
  test::write_file(folder / "old.so", test::elf_with(".nv_fatbin", test::fat_binary({{2, 80}, {2, 89}})));
  test::write_file(folder / "new.so", test::elf_with(".nv_fatbin", test::fat_binary({{2, 89}, {2, 120}})));
  test::write_file(folder / "late.so", test::elf_with(".nv_fatbin", test::fat_binary({{2, 89}, {1, 90}})));
  test::write_file(folder / "host.so", test::elf_with(".text", "no device code"));
  auto out = run({{"sm", 120}, {"files", {folder / "old.so", folder / "new.so", folder / "late.so", folder / "host.so"}}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["unsupported"], (folder / "old.so") + ": nothing that runs on sm_120 (has sm_80, sm_89)");
  EXPECT_EQ(out.values["compiled_late"],
            (folder / "late.so") + ": no sm_120, only PTX, which the driver compiles at the first start (has sm_89, PTX compute_90)");
  EXPECT_EQ(out.values["files"], 3);
}

TEST(Binaries, AreFineWhereTheyHoldTheGpusCode) {
  test::TempDir folder;
  test::write_file(folder / "new.so", test::elf_with(".nv_fatbin", test::fat_binary({{2, 89}, {2, 120}})));
  auto out = run({{"sm", 89}, {"files", {folder / "new.so"}}});
  EXPECT_EQ(out.values["unsupported"], "none");
  EXPECT_EQ(out.values["compiled_late"], "none");
}

TEST(Binaries, NothingToLookAtIsNoPass) {
  test::TempDir folder;
  test::write_file(folder / "host.so", test::elf_with(".text", "no device code"));
  EXPECT_NE(run({{"sm", 89}, {"files", {folder / "host.so"}}}).error.find("none of 1 files"), std::string::npos);
  EXPECT_NE(run({{"sm", 89}, {"files", {folder / "none.so"}}}).error.find("none.so"), std::string::npos);
  EXPECT_NE(run({{"sm", 89}, {"files", nlohmann::json::array()}}).error.find("no library"), std::string::npos);
}

}  // namespace
}  // namespace vt::checks
