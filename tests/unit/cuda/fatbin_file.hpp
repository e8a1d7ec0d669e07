#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace vt::test {

/// One piece of device code as nvcc stores it; the code itself does not matter here.
struct FatCode {
  std::uint16_t kind;  ///< 1 = PTX, 2 = machine code
  std::uint32_t sm;
  std::uint64_t flags = 0x11;  ///< 0x100000 = 'a', 0x200000 = 'f'
};
/// A fat binary with these.
std::string fat_binary(const std::vector<FatCode>& codes);
/// A 64-bit ELF file with one section of that name and content.
std::string elf_with(const std::string& section, const std::string& content);

}  // namespace vt::test
