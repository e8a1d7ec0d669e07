#include "remote-agent/checks/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

/// The number a cgroup file holds; the largest there is for "max" and where there is no such file.
std::uint64_t number_in_file(const char* path) {
  auto text = agent::read_file(path);
  auto out = std::numeric_limits<std::uint64_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::uint64_t mem_available() {
  auto text = agent::read_file("/proc/meminfo");
  auto at = text.find_first_of("0123456789", text.find("MemAvailable:"));
  std::uint64_t kib = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at, text.data() + text.size(), kib);
  return kib * 1024;
}

/// What limit minus usage leaves. The root of the hierarchy as a container sees it is its own group; version 2, then 1.
std::uint64_t left_in_cgroup(const char* limit_file, const char* usage_file) {
  auto limit = number_in_file(limit_file), usage = number_in_file(usage_file);
  return usage < limit ? limit - usage : limit;
}

}  // namespace

std::uint64_t free_memory() {
  return std::min({mem_available(), left_in_cgroup("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                   left_in_cgroup("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes")});
}

Result<Area> Area::take(std::uint64_t bytes) {
  auto* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return fail(Errc::capacity, "cannot allocate " + std::to_string(bytes >> 20) + " MiB");
  return Area(at, bytes);
}

Area::Area(Area&& other) noexcept : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}

Area::~Area() {
  if (at_) munmap(at_, bytes_);
}

bool Area::lock() const { return mlock(at_, bytes_) == 0; }

/// One 64-bit entry per page; bits 0-54 are the frame if bit 63 says that it is present (Documentation/admin-guide/mm/pagemap.rst).
std::uint64_t physical_address(const void* at) {
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), address = reinterpret_cast<std::uint64_t>(at);
  agent::Fd map(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::uint64_t entry = 0;
  if (!map || pread(map.get(), &entry, sizeof entry, static_cast<off_t>(address / page * sizeof entry)) != sizeof entry) return 0;
  auto frame = entry & ((std::uint64_t{1} << 55) - 1);
  return entry >> 63 && frame ? frame * page + address % page : 0;
}

}  // namespace vt::checks
