#include "remote-agent/checks/links_transfer.hpp"

#include "kernels/copy.hpp"

namespace vt::checks {

namespace {

std::string name_of(const gpu::Device& device) { return "GPU " + std::to_string(device.info().ordinal) + " (" + device.info().uuid + ")"; }

std::uint64_t seed_of(const Pair& pair, Path path, std::size_t bytes) {
  auto part = [](auto n) { return static_cast<std::uint64_t>(n); };
  return part(pair.from->info().ordinal) << 56 | part(pair.to->info().ordinal) << 48 | part(path) << 44 | part(bytes);
}

}  // namespace

std::string Pair::text() const { return name_of(*from) + " -> " + name_of(*to); }

std::vector<Pair> pairs_of(const std::vector<gpu::Device*>& devices) {
  if (devices.size() == 1) return {{devices[0], devices[0]}};
  std::vector<Pair> out;
  for (auto* from : devices)
    for (auto* to : devices)
      if (from != to) out.push_back({from, to});
  return out;
}

std::vector<gpu::Device*> pointers(const gpu::Devices& devices) {
  std::vector<gpu::Device*> out;
  for (auto& device : devices) out.push_back(device.get());
  return out;
}

std::string_view name(Path path) {
  constexpr std::string_view kNames[] = {"copy", "through the host", "write by kernel", "read by kernel"};
  return kNames[static_cast<std::size_t>(path)];
}

std::string Arrived::text() const {
  return checks::text(wrong, words) + (stale ? "; the old data is still there: the copy was dropped and success reported" : "");
}

Result<Transfers> Transfers::make(const Pair& pair, std::size_t most_bytes) {
  VT_TRY(auto source, pair.from->allocate(most_bytes));
  VT_TRY(auto target, pair.to->allocate(most_bytes));
  return Transfers(pair, std::move(source), std::move(target));
}

Status Transfers::move(Path path, std::size_t bytes, gpu::Stream stream) {
  using kernels::Wide;
  auto kernel = [&](gpu::Device& device) -> Status {
    auto wides = bytes / sizeof(Wide);
    if (wides > 0) return device.launch(VT_NAMED(vt_copy_wide), {wides}, stream, target_.as<Wide>(), source_.as<Wide>(), wides);
    return device.launch(VT_NAMED(vt_copy_words), {bytes / 8}, stream, target_.as<kernels::u64>(), source_.as<kernels::u64>(), bytes / 8);
  };
  switch (path) {
    case Path::copy: return pair_.from->copy(target_.as<void>(), source_.as<void>(), bytes, stream);
    case Path::write: return kernel(*pair_.from);
    case Path::read: return kernel(*pair_.to);
    case Path::host: break;
  }
  if (!host_) { VT_TRY(host_, pair_.from->allocate(source_.bytes(), gpu::Place::pinned)); }
  VT_CHECK(pair_.from->copy(host_.as<void>(), source_.as<void>(), bytes));
  VT_CHECK(pair_.from->finish());
  return pair_.to->copy(target_.as<void>(), host_.as<void>(), bytes);
}

Result<Arrived> Transfers::carry(Path path, std::size_t bytes, bool fault) {
  Arrived out;
  out.words = bytes / sizeof(std::uint64_t);
  auto seed = seed_of(pair_, path, bytes), old = ~seed;
  VT_CHECK(fill_words(*pair_.from, source_, out.words, seed));
  VT_CHECK(fill_words(*pair_.to, target_, out.words, old));
  VT_CHECK(move(path, bytes));
  VT_CHECK(pair_.from->finish());
  VT_CHECK(pair_.to->finish());
  if (fault) VT_CHECK(damage(*pair_.to, target_, out.words / 3));
  VT_TRY(out.wrong, verify_words(*pair_.to, target_, out.words, seed));
  auto& first = out.wrong.first[0];
  out.stale = out.wrong.count == out.words && first.found == kernels::word_at(old, first.index);
  return out;
}

}  // namespace vt::checks
