#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/images.hpp"
#include "remote-agent/checks/cuda_fatbin.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/cuda/fatbin_file.hpp"

namespace vt::checks {
namespace {

using test::elf_with;
using test::fat_binary;

constexpr std::uint64_t kExact = 0x100011, kFamily = 0x200011;

DeviceCode read(const std::string& bytes) {
  test::TempDir folder;
  test::write_file(folder / "file", bytes);
  auto code = read_device_code(folder / "file");
  EXPECT_TRUE(code) << code.error().what;
  return code ? *code : DeviceCode{};
}

std::string trouble(const std::string& bytes) {
  test::TempDir folder;
  test::write_file(folder / "file", bytes);
  auto code = read_device_code(folder / "file");
  EXPECT_FALSE(code) << code->text();
  return code ? "" : code.error().what;
}

TEST(FatBinary, NamesTheArchitecturesOfALibrary) {
  auto library = elf_with(".nv_fatbin", fat_binary({{2, 80}, {2, 90, kExact}}) + fat_binary({{2, 120, kFamily}, {1, 75}}));
  EXPECT_EQ(read(library).text(), "sm_80, sm_90a, sm_120f, PTX compute_75");
  EXPECT_EQ(read(elf_with("__nv_relfatbin", fat_binary({{2, 89}}))).text(), "sm_89");
}

TEST(FatBinary, PadsBetweenFatBinariesAreSkipped) {
  auto padded = fat_binary({{2, 80}}) + std::string(40, '\0') + fat_binary({{2, 90}});
  EXPECT_EQ(read(elf_with(".nv_fatbin", padded)).text(), "sm_80, sm_90");
}

TEST(FatBinary, ALibraryWithoutDeviceCodeHasNone) {
  auto code = read(elf_with(".text", "nothing"));
  EXPECT_TRUE(code.empty());
  EXPECT_EQ(code.text(), "none");
}

TEST(FatBinary, BuiltForSm89DoesNotRunOnSm120) {
  auto code = read(elf_with(".nv_fatbin", fat_binary({{2, 89}})));
  EXPECT_TRUE(code.runs_on(89));
  EXPECT_FALSE(code.runs_on(120));
  EXPECT_FALSE(code.compiles_for(120));
  EXPECT_FALSE(code.runs_on(86)) << "a lower minor version";
}

TEST(FatBinary, CodeForOneDeviceOrFamilyRunsThereOnly) {
  auto code = read(fat_binary({{2, 90, kExact}, {2, 100, kFamily}, {1, 90, kExact}, {1, 100, kFamily}}));
  EXPECT_TRUE(code.runs_on(90) && code.runs_on(100) && code.runs_on(103));
  EXPECT_FALSE(code.runs_on(120));
  EXPECT_TRUE(code.compiles_for(90) && code.compiles_for(103));
  EXPECT_FALSE(code.compiles_for(120)) << "neither kind of PTX leaves its family";
  EXPECT_FALSE(read(fat_binary({{2, 120, kExact}})).runs_on(121));
}

TEST(FatBinary, PtxIsCompiledForNewerDevicesOnly) {
  auto code = read(fat_binary({{1, 90}}));
  EXPECT_FALSE(code.runs_on(90));
  EXPECT_TRUE(code.compiles_for(90) && code.compiles_for(120));
  EXPECT_FALSE(code.compiles_for(89));
}

TEST(FatBinary, DamagedFilesAreRefusedWithTheirName) {
  EXPECT_NE(trouble("no ELF file at all, but long enough to hold a header of one").find("no 64-bit ELF"), std::string::npos);
  EXPECT_NE(trouble("").find("no 64-bit ELF"), std::string::npos);
  auto library = elf_with(".nv_fatbin", fat_binary({{2, 80}}));
  EXPECT_NE(trouble(library.substr(0, 100)).find("/file: "), std::string::npos);
  auto endless = fat_binary({{2, 80}});
  endless[8] = endless[9] = '\xff';  // says that it is longer than the section
  EXPECT_NE(trouble(elf_with(".nv_fatbin", endless)).find("cut"), std::string::npos);
  auto headless = fat_binary({{2, 80}});
  headless[16 + 4] = 0;  // an entry without a header would be read for ever
  EXPECT_NE(trouble(elf_with(".nv_fatbin", headless)).find("unknown kind"), std::string::npos);
}

TEST(FatBinary, AMissingFileIsToldAsSuch) {
  auto code = read_device_code("/nonexistent/lib.so");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, Errc::not_found);
}

TEST(FatBinary, ReadsWhatNvccMadeOfOurKernels) {
  if (kernels::images().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  for (auto& image : kernels::images())
    if (!image.ptx) { EXPECT_EQ(read(std::string(image.bytes)).text(), "sm_" + std::to_string(image.sm)); }
}

TEST(FatBinary, ReadsWhatNvccPutsIntoALibrary) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (access(nvcc.c_str(), X_OK) != 0) GTEST_SKIP() << "no nvcc";
  test::TempDir folder;
  test::write_file(folder / "k.cu", "__global__ void k(int* p) { *p = 1; }\n");
  auto command = "cd " + folder.path() + " && " + nvcc + " -shared -Xcompiler -fPIC -cudart none -o k.so k.cu" +
                 " -gencode arch=compute_89,code=sm_89 -gencode arch=compute_120a,code=sm_120a -gencode arch=compute_89,code=compute_89";
  ASSERT_EQ(test::shell(command + " >/dev/null 2>&1"), 0) << command;
  auto code = read_device_code(folder / "k.so");
  ASSERT_TRUE(code) << code.error().what;
  EXPECT_EQ(code->text(), "sm_89, sm_120a, PTX compute_89");
}

}  // namespace
}  // namespace vt::checks
