#include <charconv>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/pattern.hpp"
#include "remote-agent/channel.hpp"
#include "remote-agent/gpu/open.hpp"
#include "remote-agent/worker.hpp"

namespace vt::agent {

namespace {

using checks::Outcome, checks::Task;
using nlohmann::json;

/// 1 MiB filled and verified.
Result<std::uint64_t> wrong_words(gpu::Device& device) {
  constexpr std::uint64_t kWords = 128 * 1024, kSeed = 1;
  kernels::Miscompares wrong{};
  VT_TRY(auto words, device.allocate(kWords * sizeof(kernels::u64)));
  VT_TRY(auto found, device.allocate(sizeof wrong));
  VT_CHECK(device.set(found.as<void>(), 0, found.bytes()));
  VT_CHECK(device.launch(VT_NAMED(vt_fill_words), {kWords}, {}, words.as<kernels::u64>(), kWords, kSeed));
  VT_CHECK(
      device.launch(VT_NAMED(vt_verify_words), {kWords}, {}, words.as<kernels::u64>(), kWords, kSeed, found.as<kernels::Miscompares>()));
  VT_CHECK(device.copy(&wrong, found.as<void>(), sizeof wrong));
  VT_CHECK(device.finish());
  return wrong.count;
}

Outcome alive(const Task&, gpu::Device& device, checks::Reporter&) {
  auto wrong = wrong_words(device);
  if (!wrong) return {{}, "", wrong.error().what};
  if (*wrong > 0) return {{}, "", std::to_string(*wrong) + " wrong words in 1 MiB"};
  return {};
}

constexpr checks::Entry kAliveEntry{kAlive, nullptr, alive};

Result<std::vector<int>> ordinals_of(std::string_view where, int count) {
  std::vector<int> out;
  if (where == "all")
    for (int i = 0; i < count; ++i) out.push_back(i);
  while (where != "all" && !where.empty()) {
    auto word = where.substr(0, where.find(','));
    where.remove_prefix(std::min(where.size(), word.size() + 1));
    int ordinal = -1;
    std::from_chars(word.data(), word.data() + word.size(), ordinal);
    if (ordinal < 0 || ordinal >= count)
      return fail(Errc::usage, "there is no GPU " + std::string(word) + ": the driver shows " + std::to_string(count));
    out.push_back(ordinal);
  }
  return out;
}

/// The devices of this process, from what it was started with.
class Source {
 public:
  explicit Source(std::string where) : where_(std::move(where)) {}
  Status count() {
    if (where_ == "cpu") return {};
    VT_TRY(auto count, gpu::count());
    count_ = count;
    VT_TRY(ordinals_, ordinals_of(where_, count));
    return {};
  }
  [[nodiscard]] int counted() const { return count_; }
  /// For the CPU as many as args.ranks asks for.
  Status open(int ranks, gpu::Devices& out) {
    if (where_ == "cpu")
      for (int i = 0; i < ranks; ++i) out.push_back(gpu::open_cpu());
    for (auto ordinal : ordinals_) {
      VT_TRY(auto device, gpu::open(ordinal));
      out.push_back(std::move(device));
    }
    if (out.empty()) return fail(Errc::not_found, "the driver shows no GPU to this process");
    return {};
  }

 private:
  std::string where_;
  int count_ = 1;
  std::vector<int> ordinals_;
};

json about(const gpu::Devices& devices) {
  json list = json::array();
  for (auto& d : devices) list.push_back({{"name", d->info().name}, {"uuid", d->info().uuid}, {"pci", d->info().pci}, {"rung", d->rung()}});
  return {{"t", "devices"}, {"devices", list}};
}

Result<Outcome> run(const checks::Entry& check, const std::string& where, gpu::Devices& devices, Channel& channel) {
  Source source(where);
  VT_CHECK(source.count());
  channel.send({{"t", "gpus"}, {"count", source.counted()}});
  auto task = channel.read_task(std::numeric_limits<int>::max());  // whoever started us ends us
  if (!task) return fail(Errc::cancelled, "no task came");
  channel.progress("the opening of the device", 0);
  VT_CHECK(source.open(check.on_gpus ? std::max(1, static_cast<int>(task->number("ranks", 1))) : 1, devices));
  channel.send(about(devices));
  return check.on_gpus ? check.on_gpus(*task, devices, channel) : check.on_gpu(*task, *devices[0], channel);
}

}  // namespace

int gpu_work(const std::string& name, const std::string& where, FindCheck find) try {
  Channel channel;
  auto* check = name == kAlive ? &kAliveEntry : find(name);
  if (!check || !(check->on_gpu || check->on_gpus)) return 64;
  gpu::Devices devices;  // closed after the values are sent: closing may hang too
  auto outcome = run(*check, where, devices, channel);
  if (!outcome) outcome = Outcome{{}, "", outcome.error().what};
  channel.send({{"t", "values"}, {"values", outcome->values}, {"error", outcome->error}});
  return 0;
} catch (const std::exception&) {
  return 70;  // out of memory, or no threads: whoever started us tells the status
}

}  // namespace vt::agent
