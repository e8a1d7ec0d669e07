#include "remote-agent/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace vt::agent {

namespace {

std::size_t padded(std::size_t n) { return (n + 3) & ~std::size_t{3}; }

std::string id_in_notes(const char* at, std::size_t size) {
  for (ElfW(Nhdr) note; size >= sizeof note;) {
    std::memcpy(&note, at, sizeof note);
    auto length = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (length > size) break;
    if (note.n_type == NT_GNU_BUILD_ID) {
      std::string out;
      auto* bytes = reinterpret_cast<const unsigned char*>(at + sizeof note + padded(note.n_namesz));
      for (std::size_t i = 0; i < note.n_descsz; i++) out += "0123456789abcdef"[bytes[i] >> 4], out += "0123456789abcdef"[bytes[i] & 15];
      return out;
    }
    at += length, size -= length;
  }
  return "";
}

/// The first object visited is the executable itself.
int visit(dl_phdr_info* object, std::size_t, void* out) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as integers
    auto id = id_in_notes(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(out) = id;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string out = "unknown";
  dl_iterate_phdr(visit, &out);
  return out;
}

}  // namespace vt::agent
