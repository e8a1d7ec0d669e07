#include "kernels/images.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "remote-agent/gpu/library.hpp"
#include "remote-agent/gpu/nvrtc.hpp"

namespace vt::kernels {
namespace {

template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
  T out{};
  if (offset + sizeof out > bytes.size()) throw std::out_of_range("cut ELF");
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

/// Names of the functions in an ELF file's symbol table.
std::set<std::string> functions_in(std::string_view elf) {
  std::set<std::string> out;
  auto header = at<Elf64_Ehdr>(elf, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    auto table = at<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (table.sh_type != SHT_SYMTAB) continue;
    auto names = at<Elf64_Shdr>(elf, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
    for (std::uint64_t n = 0; n < table.sh_size / sizeof(Elf64_Sym); ++n) {
      auto symbol = at<Elf64_Sym>(elf, table.sh_offset + n * sizeof(Elf64_Sym));
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) out.insert(elf.data() + names.sh_offset + symbol.st_name);
    }
  }
  return out;
}

void expect_all_kernels(std::string_view cubin, const std::string& where) {
  ASSERT_TRUE(cubin.starts_with(ELFMAG)) << where;
  auto functions = functions_in(cubin);
  for (auto& kernel : all()) EXPECT_TRUE(functions.contains(std::string(kernel.name))) << kernel.name << " is not in " << where;
}

TEST(KernelImages, EveryKernelIsInEveryImage) {
  if (images().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  EXPECT_FALSE(compiler().empty());
  int last = 0;
  for (auto& image : images()) {
    auto where = (image.ptx ? "PTX compute_" : "sm_") + std::to_string(image.sm);
    if (!image.ptx) {
      EXPECT_GT(image.sm, last) << "not in order";
      last = image.sm;
      expect_all_kernels(image.bytes, where);
      continue;
    }
    EXPECT_EQ(image.bytes.data()[image.bytes.size()], 0) << "the driver reads it as a C string";
    for (auto& kernel : all())
      EXPECT_NE(image.bytes.find(".entry " + std::string(kernel.name) + "("), std::string_view::npos)
          << kernel.name << " is not in " << where;
  }
  EXPECT_TRUE(images().back().ptx);
}

TEST(KernelImages, TheSourceIsOneTextWithEveryKernel) {
  EXPECT_EQ(source().find("#include"), std::string_view::npos);
  EXPECT_EQ(source().find("#pragma once"), std::string_view::npos);
  for (auto& kernel : all()) EXPECT_NE(source().find(" " + std::string(kernel.name) + "("), std::string_view::npos) << kernel.name;
}

TEST(KernelImages, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (auto& kernel : all()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_EQ(find(kernel.name), &kernel);
  }
  EXPECT_GE(names.size(), 3U);
  EXPECT_EQ(find("vt_none"), nullptr);
}

class NvrtcFor : public testing::TestWithParam<int> {};

/// Of every architecture that there may be a GPU of.
TEST_P(NvrtcFor, CompilesTheSource) {
  auto compiled = gpu::compile_kernels(0, GetParam());
  if (!compiled && compiled.error().code == Errc::not_found) GTEST_SKIP() << compiled.error().what;
  ASSERT_TRUE(compiled) << compiled.error().what;
  expect_all_kernels(compiled->code, "what NVRTC " + compiled->compiler + " made");
}
INSTANTIATE_TEST_SUITE_P(Architecture, NvrtcFor, testing::Values(75, 80, 86, 89, 90, 100, 103, 120),
                         [](auto& info) { return "sm_" + std::to_string(info.param); });

TEST(Nvrtc, SaysWhyItCannot) {
  auto compiled = gpu::compile_kernels(0, 3);
  ASSERT_FALSE(compiled);
  if (compiled.error().code == Errc::not_found) GTEST_SKIP() << compiled.error().what;
  EXPECT_NE(compiled.error().what.find("sm_3"), std::string::npos) << compiled.error().what;
}

}  // namespace
}  // namespace vt::kernels
