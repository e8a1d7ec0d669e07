#include "tests/unit/cuda/fatbin_file.hpp"

#include <elf.h>

#include <cstring>

namespace vt::test {

namespace {

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string fat_binary(const std::vector<FatCode>& codes) {
  std::string entries, out;
  for (auto& code : codes) {
    put<std::uint16_t>(entries, code.kind), put<std::uint16_t>(entries, 0x101), put<std::uint32_t>(entries, 64);
    put<std::uint64_t>(entries, 8), put<std::uint64_t>(entries, 0);  // bytes of code, then what is of no interest
    put<std::uint16_t>(entries, 0), put<std::uint16_t>(entries, 9), put<std::uint32_t>(entries, code.sm), put<std::uint64_t>(entries, 0);
    put<std::uint64_t>(entries, code.flags), entries.append(16, '\0');
    entries += "the code";
  }
  put<std::uint32_t>(out, 0xBA55ED50), put<std::uint16_t>(out, 1), put<std::uint16_t>(out, 16), put<std::uint64_t>(out, entries.size());
  return out + entries;
}

std::string elf_with(const std::string& section, const std::string& content) {
  std::string names = std::string("\0", 1) + section + std::string("\0", 1);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_machine = EM_X86_64;
  header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = 3, header.e_shstrndx = 2;
  header.e_shoff = sizeof header + content.size() + names.size();
  Elf64_Shdr none{}, code{}, strings{};
  code.sh_name = 1, code.sh_type = SHT_PROGBITS, code.sh_offset = sizeof header, code.sh_size = content.size();
  strings.sh_type = SHT_STRTAB, strings.sh_offset = sizeof header + content.size(), strings.sh_size = names.size();
  std::string out;
  put(out, header);
  out += content + names;
  put(out, none), put(out, code), put(out, strings);
  return out;
}

}  // namespace vt::test
