#include "tests/doubles/host/host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <deque>
#include <fstream>

namespace vt::doubles {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMib = 1024 * 1024;

Gpu read_gpu(const json& from, std::size_t ordinal) {
  Gpu out;
  auto number = std::to_string(ordinal);
  out.name = from.value("name", "NVIDIA GeForce RTX 5090");
  out.uuid = from.value("uuid", "GPU-00000000-0000-4000-8000-00000000000" + number);
  out.serial = from.value("serial", "");
  out.pci = from.value("pci", "00000000:0" + number + ":00.0");
  out.sm = from.value("sm", 120), out.multiprocessors = from.value("multiprocessors", 170), out.numa = from.value("numa", -1);
  out.memory = from.value("memory_mib", std::uint64_t{32607}) * kMib, out.free = from.value("free_mib", std::uint64_t{64}) * kMib;
  out.l2 = from.value("l2_mib", std::uint64_t{96}) * kMib;
  out.copy_gbs = from.value("copy_gbs", 0.0), out.link_gbs = from.value("link_gbs", 0.0);
  out.kernel_seconds = from.value("kernel_seconds", std::map<std::string, double>{});
  out.lacks = from.value("lacks", std::set<std::string>{});
  out.nvml = from.value("nvml", json::object());
  return out;
}

Fault read_fault(const json& from) {
  Fault out;
  out.kind = from.at("kind"), out.gpu = from.value("gpu", -1), out.to = from.value("to", -1);
  out.where = from.value("where", ""), out.kernel = from.value("kernel", "");
  out.argument = from.value("argument", 0), out.bit = from.value("bit", 0), out.value = from.value("value", 1);
  out.code = from.value("code", 0), out.offset = from.value("offset", std::uint64_t{0}), out.count = from.value("count", std::uint64_t{1});
  out.after = from.value("after", std::uint64_t{0}), out.after_ms = from.value("after_ms", std::int64_t{0});
  return out;
}

Host read_host() {
  Host out;
  std::ifstream file(folder() + "/gpus.json");
  auto from = json::parse(file, nullptr, false);
  if (!from.is_object()) return out;
  out.driver = from.value("driver", out.driver), out.cuda = from.value("cuda", out.cuda);
  out.nvml = from.value("nvml", json::object());
  for (auto& gpu : from.value("gpus", json::array())) out.gpus.push_back(read_gpu(gpu, out.gpus.size()));
  for (auto& row : from.value("p2p", json::array())) out.p2p.push_back(row.get<std::vector<bool>>());
  out.p2p.resize(out.gpus.size());
  for (auto& row : out.p2p) row.resize(out.gpus.size());
  for (auto& one : from.value("faults", json::array())) out.faults.push_back(read_fault(one));
  return out;
}

void* map_state() {
  constexpr auto size = sizeof(GpuState) * kMostGpus;
  auto file = open((folder() + "/gpus.state").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  auto kept = file >= 0 && ftruncate(file, size) == 0;
  auto* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, kept ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, kept ? file : -1, 0);
  if (file >= 0) close(file);
  return at;
}

}  // namespace

const std::string& folder() {
  static const auto* found = [] {
    Dl_info info{};
    std::string path = dladdr(reinterpret_cast<void*>(&folder), &info) != 0 && info.dli_fname ? info.dli_fname : "./x";
    auto slash = path.rfind('/');
    return new std::string(slash == std::string::npos ? "." : path.substr(0, slash));
  }();
  return *found;
}

// Never destroyed: threads of the doubles may outlive main().
const Host& host() {
  static const auto* read = new Host(read_host());
  return *read;
}

const Fault* strikes(std::string_view kind, const std::function<bool(const Fault&)>& matches) {
  static auto* counts = new std::deque<std::atomic<std::uint64_t>>(host().faults.size());
  const Fault* found = nullptr;
  for (std::size_t i = 0; i < host().faults.size(); ++i) {
    auto& one = host().faults[i];
    if (one.kind == kind && matches(one) && (*counts)[i]++ >= one.after && !found) found = &one;
  }
  return found;
}

const Fault* fault(std::string_view kind, int gpu) {
  for (auto& one : host().faults)
    if (one.kind == kind && (one.gpu < 0 || one.gpu == gpu)) return &one;
  return nullptr;
}

GpuState& state(int gpu) {
  static auto* all = static_cast<GpuState*>(map_state());
  return all[gpu];
}

}  // namespace vt::doubles
