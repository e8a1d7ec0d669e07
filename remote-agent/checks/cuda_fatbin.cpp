#include "remote-agent/checks/cuda_fatbin.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

using Architecture = DeviceCode::Architecture;

/// The container that nvcc puts device code into, as fatbinary of CUDA 11 to 13 writes it. It is not documented; the tests hold this
/// to what nvcc makes.
struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< of the entries after it
};
struct FatEntry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  ///< of the code after it
  std::uint32_t unused[2];
  std::uint16_t minor, major;
  std::uint32_t sm;
  std::uint32_t more[2];
  std::uint64_t flags;
};
constexpr std::uint32_t kFatMagic = 0xBA55ED50;
constexpr std::uint16_t kPtx = 1, kNative = 2;
constexpr std::uint64_t kExact = 0x100000, kFamily = 0x200000;  ///< sm_120a, sm_120f
constexpr int kMostHeaders = 1'000'000, kMostSections = 65'536;
constexpr unsigned kElfForCuda = 190;  ///< EM_CUDA

/// A file that is read here and there.
class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  explicit operator bool() const { return static_cast<bool>(fd_); }
  template <class T>
  bool read(std::uint64_t at, T& out) const {
    return at <= INT64_MAX - sizeof out && ::pread(fd_.get(), &out, sizeof out, static_cast<off_t>(at)) == static_cast<ssize_t>(sizeof out);
  }
  [[nodiscard]] std::string text(std::uint64_t at) const {
    std::array<char, 64> bytes{};
    auto n = ::pread(fd_.get(), bytes.data(), bytes.size() - 1, static_cast<off_t>(at));
    return n > 0 ? bytes.data() : "";
  }
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(fd_.get(), 0, SEEK_END))); }

 private:
  agent::Fd fd_;
};

struct Range {
  std::uint64_t from = 0, to = 0;
};

void add(DeviceCode& code, const FatEntry& entry) {
  Architecture architecture{static_cast<int>(entry.sm), '\0'};
  if (entry.flags & kExact) architecture.suffix = 'a';
  if (entry.flags & kFamily) architecture.suffix = 'f';
  if (entry.kind == kNative) code.native.insert(architecture);
  if (entry.kind == kPtx) code.ptx.insert(architecture);
}

/// Every fat binary in a range of the file: they follow each other with zeros between. `left` bounds how many headers are read.
Status read_fatbins(const File& file, Range range, int& left, DeviceCode& code) {
  FatHeader header{};
  for (auto at = range.from; at + sizeof header <= range.to;) {
    if (!file.read(at, header)) return fail(Errc::refused, "the file is cut");
    if (header.magic != kFatMagic) {
      if (--left < 0) break;
      at += 8;
      continue;
    }
    auto entry_at = at + header.header_bytes, end = entry_at + header.bytes;
    if (header.header_bytes < sizeof header || header.bytes > range.to || end > range.to)
      return fail(Errc::refused, "a fat binary in it is cut");
    for (FatEntry entry{}; entry_at + sizeof entry <= end; entry_at += entry.header_bytes + entry.bytes) {
      if (--left < 0 || !file.read(entry_at, entry)) return fail(Errc::refused, "a fat binary in it cannot be read");
      if (entry.header_bytes < sizeof entry || entry.bytes > end) return fail(Errc::refused, "a fat binary in it is of an unknown kind");
      add(code, entry);
    }
    at = (end + 7) / 8 * 8;
  }
  return left < 0 ? Status(fail(Errc::refused, "it holds too many fat binaries")) : Status();
}

/// The sections of an ELF file that hold fat binaries.
Result<std::vector<Range>> fatbin_sections(const File& file, const Elf64_Ehdr& elf) {
  std::vector<Range> out;
  Elf64_Shdr first{}, names{};
  if (elf.e_shoff == 0) return out;
  if (elf.e_shentsize != sizeof first || !file.read(elf.e_shoff, first)) return fail(Errc::refused, "its section table cannot be read");
  auto count = std::min<std::uint64_t>(elf.e_shnum ? elf.e_shnum : first.sh_size, kMostSections);  // many sections are counted in the first
  auto name_table = elf.e_shstrndx == SHN_XINDEX ? first.sh_link : elf.e_shstrndx;
  if (!file.read(elf.e_shoff + name_table * sizeof first, names)) return fail(Errc::refused, "its section names cannot be read");
  for (std::uint64_t i = 0; i < count; ++i) {
    Elf64_Shdr section{};
    if (!file.read(elf.e_shoff + i * sizeof section, section)) return fail(Errc::refused, "its section table is cut");
    auto name = file.text(names.sh_offset + section.sh_name);
    if (name != ".nv_fatbin" && name != "__nv_relfatbin") continue;
    if (section.sh_type == SHT_NOBITS) continue;  // a file with debug information only
    if (section.sh_size > file.size() || section.sh_offset > file.size() - section.sh_size) return fail(Errc::refused, "it is cut");
    out.push_back({section.sh_offset, section.sh_offset + section.sh_size});
  }
  return out;
}

/// A cubin names its architecture in the ELF flags: since CUDA 12.8's ELF version 8 in bits 8 to 15, before that in bits 0 to 7.
Architecture of_cubin(const Elf64_Ehdr& elf) {
  constexpr unsigned char kVersion8 = 8;
  auto flags = elf.e_flags;
  auto sm = elf.e_ident[EI_ABIVERSION] >= kVersion8 ? flags >> 8 & 255 : flags & 255;
  return {static_cast<int>(sm), '\0'};
}

bool same_family(const Architecture& code, int sm) { return code.sm / 10 == sm / 10 && code.sm <= sm; }

}  // namespace

bool DeviceCode::runs_on(int sm) const {
  return std::any_of(native.begin(), native.end(), [&](auto& a) { return a.suffix == 'a' ? a.sm == sm : same_family(a, sm); });
}

bool DeviceCode::compiles_for(int sm) const {
  return std::any_of(ptx.begin(), ptx.end(), [&](auto& a) {
    if (a.suffix == 'a') return a.sm == sm;
    return a.suffix == 'f' ? same_family(a, sm) : a.sm <= sm;
  });
}

std::string DeviceCode::text() const {
  std::string out;
  auto append = [&](const std::string& prefix, const Architecture& a) {
    out += (out.empty() ? "" : ", ") + prefix + std::to_string(a.sm) + (a.suffix ? std::string(1, a.suffix) : "");
  };
  for (auto& a : native) append("sm_", a);
  for (auto& a : ptx) append("PTX compute_", a);
  return out.empty() ? "none" : out;
}

Result<DeviceCode> read_device_code(const std::string& path) {
  File file(path);
  if (!file) return fail(Errc::not_found, path + ": " + std::strerror(errno));
  DeviceCode out;
  int left = kMostHeaders;
  Elf64_Ehdr elf{};
  FatHeader fat{};
  if (file.read(0, fat) && fat.magic == kFatMagic) {
    if (auto read = read_fatbins(file, {0, file.size()}, left, out); !read) return fail(read.error().code, path + ": " + read.error().what);
    return out;
  }
  bool is_elf = file.read(0, elf) && std::memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 && elf.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf) return fail(Errc::refused, path + " is no 64-bit ELF file");
  if (elf.e_machine == kElfForCuda) {
    out.native.insert(of_cubin(elf));
    return out;
  }
  auto sections = fatbin_sections(file, elf);
  if (!sections) return fail(sections.error().code, path + ": " + sections.error().what);
  for (auto& range : *sections)
    if (auto read = read_fatbins(file, range, left, out); !read) return fail(read.error().code, path + ": " + read.error().what);
  return out;
}

}  // namespace vt::checks
