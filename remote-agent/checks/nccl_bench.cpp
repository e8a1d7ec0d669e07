#include "remote-agent/checks/nccl_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "kernels/collective.hpp"

namespace vt::checks {

namespace {

using kernels::Miscompares, kernels::u64;

struct Ends {
  float *from, *to;
};

/// In place, all is in the buffer `to`.
Ends ends_of(const NcclOperation& operation, const NcclShape& shape, bool in_place, const gpu::Buffer& from, const gpu::Buffer& to) {
  if (!in_place) return {from.as<float>(), to.as<float>()};
  auto at = [&](auto* offset) { return to.as<float>() + (offset ? offset(shape) : 0); };
  return {at(operation.from_at), at(operation.to_at)};
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  auto shown = [&](std::uint64_t unit, const char* name) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g %s", static_cast<double>(bytes) / static_cast<double>(unit), name);
    return std::string(text);
  };
  if (bytes >= 1024 * 1024) return shown(1024 * 1024, "MiB");
  return bytes >= 1024 ? shown(1024, "KiB") : shown(1, "B");
}

Result<std::uint64_t> least_free(const Task& task, NcclSession& session, Reporter& report) {
  constexpr std::uint64_t kMib = 1024 * 1024;
  std::uint64_t least = UINT64_MAX;
  for (auto& rank : session.ranks()) {
    VT_TRY(auto free, rank.device->free_memory());
    least = std::min(least, free / kMib);
  }
  if (session.ranks().size() > 1) return least * kMib;
  auto key = [](int rank) { return "nccl.free." + std::to_string(rank); };
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08" PRIu64, std::min<std::uint64_t>(least, 99'999'999));  // eight digits are base64
  report.publish(key(task.rank), digits);
  for (int rank = 0; rank < task.world; ++rank) {
    auto other = rank == task.rank ? std::optional<std::string>(digits) : report.await(key(rank));
    if (!other) return fail(Errc::timeout, "rank " + std::to_string(rank) + " did not come");
    least = std::min<std::uint64_t>(least, std::strtoull(other->c_str(), nullptr, 10));
  }
  return least * kMib;
}

Result<NcclBench> NcclBench::make(NcclSession& session, const NcclOperation& operation, std::uint64_t most) {
  NcclBench out(session, operation);
  most = std::max<std::uint64_t>(most, 16 * static_cast<std::uint64_t>(session.world()));  // what shape() rounds up to
  for (auto& rank : session.ranks()) {
    Room room;
    VT_TRY(room.from, rank.device->allocate(most));
    VT_TRY(room.to, rank.device->allocate(most));
    VT_TRY(room.wrong, rank.device->allocate(sizeof(Miscompares)));
    VT_TRY(room.begin, rank.device->new_mark());
    VT_TRY(room.end, rank.device->new_mark());
    out.rooms_.push_back(std::move(room));
  }
  return out;
}

/// Parts of the ranks are equal, and aligned as nccl-tests aligns them.
NcclShape NcclBench::shape(std::uint64_t bytes, const NcclRank& rank) const {
  auto unit = static_cast<std::uint64_t>(session_->world()) * (bytes >= 64 * 1024 ? 4 : 1);
  return {std::max(unit, bytes / sizeof(float) / unit * unit), rank.rank, session_->world()};
}

std::string NcclBench::title(std::uint64_t bytes) const { return std::string(operation_->name) + " " + size_text(bytes); }

NcclBench::Room& NcclBench::room(const NcclRank& rank) { return rooms_[static_cast<std::size_t>(&rank - session_->ranks().data())]; }

Status NcclBench::call(std::uint64_t bytes, bool in_place) {
  return session_->each([&](NcclRank& rank) -> Status {
    auto s = shape(bytes, rank);
    auto [from, to] = ends_of(*operation_, s, in_place, room(rank).from, room(rank).to);
    return operation_->call(rank, s, from, to);
  });
}

Status NcclBench::fill(std::uint64_t bytes, bool in_place, std::uint64_t seed) {
  for (auto& rank : session_->ranks()) {
    auto s = shape(bytes, rank);
    auto& own = room(rank);
    auto ends = ends_of(*operation_, s, in_place, own.from, own.to);
    u64 count = operation_->sent(s), number = static_cast<u64>(rank.rank);
    VT_CHECK(rank.device->set(own.to.as<void>(), 0xFF, s.total * sizeof(float), rank.stream));  // NaN: never a sum
    VT_CHECK(rank.device->launch(VT_NAMED(vt_fill_contribution), {count}, rank.stream, ends.from, count, seed, number, u64{0}));
    VT_CHECK(rank.device->finish(rank.stream));
  }
  return {};
}

Status NcclBench::check(std::uint64_t bytes, bool in_place, std::uint64_t seed, bool damage) {
  for (auto& rank : session_->ranks()) {
    auto s = shape(bytes, rank);
    auto& own = room(rank);
    auto* to = ends_of(*operation_, s, in_place, own.from, own.to).to;
    auto* wrong = own.wrong.as<Miscompares>();
    bool flip = damage;
    VT_CHECK(rank.device->set(wrong, 0, sizeof(Miscompares), rank.stream));
    for (auto& piece : operation_->left(s)) {
      if (std::exchange(flip, false)) {
        auto at = reinterpret_cast<std::uintptr_t>(to + piece.at);
        u64 bit = at % sizeof(u64) == 0 ? 1 : 33;                      // of the word that has this element in its lower or upper half
        auto* word = reinterpret_cast<u64*>(at & ~std::uintptr_t{7});  // NOLINT(performance-no-int-to-ptr): the word that holds it
        VT_CHECK(rank.device->launch(VT_NAMED(vt_flip_bit), {1}, rank.stream, word, u64{0}, bit));
      }
      VT_CHECK(rank.device->launch(VT_NAMED(vt_verify_contribution), {piece.count}, rank.stream, to + piece.at, piece.count, seed,
                                   piece.first_rank, piece.ranks, piece.first, wrong));
    }
  }
  return {};
}

Result<std::vector<Miscompares>> NcclBench::verify(std::uint64_t bytes, bool in_place, bool damage) {
  auto seed = kernels::word_at(session_->seed(), rounds_++);
  VT_CHECK(fill(bytes, in_place, seed));
  VT_CHECK(session_->run(title(bytes), [&] { return call(bytes, in_place); }));
  VT_CHECK(check(bytes, in_place, seed, damage));
  std::vector<Miscompares> out(rooms_.size());
  for (auto& rank : session_->ranks()) {
    auto& found = out[static_cast<std::size_t>(&rank - session_->ranks().data())];
    VT_CHECK(rank.device->copy(&found, room(rank).wrong.as<void>(), sizeof found, rank.stream));
    VT_CHECK(rank.device->finish(rank.stream));
  }
  return out;
}

Result<int> NcclBench::affordable(std::uint64_t bytes, bool in_place) {
  auto since = std::chrono::steady_clock::now();
  VT_CHECK(session_->run(title(bytes) + ", once", [&] { return call(bytes, in_place); }));
  auto own = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - since).count();
  VT_TRY(auto longest, session_->largest(static_cast<std::uint64_t>(std::max<std::int64_t>(1, own))));
  return static_cast<int>(std::clamp(session_->patience() / 4 * 1e6 / static_cast<double>(std::max<std::uint64_t>(1, longest)), 1.0, 1e6));
}

Result<NcclBench::Timed> NcclBench::time(std::uint64_t bytes, bool in_place, int warmup, int iterations) {
  VT_TRY(auto most, affordable(bytes, in_place));
  warmup = std::min(warmup, most), iterations = std::min(std::max(1, iterations), most);
  auto calls = [&](int n) -> Status {
    for (int i = 0; i < n; ++i) {
      VT_CHECK(call(bytes, in_place));
      VT_CHECK(session_->settle());
    }
    return {};
  };
  auto work = [&]() -> Status {
    VT_CHECK(calls(warmup));
    for (auto& rank : session_->ranks()) VT_CHECK(rank.device->mark(room(rank).begin, rank.stream));
    VT_CHECK(calls(iterations));
    for (auto& rank : session_->ranks()) VT_CHECK(rank.device->mark(room(rank).end, rank.stream));
    return {};
  };
  VT_CHECK(session_->run(title(bytes) + ", timed", work));
  Timed out{{}, iterations};
  for (auto& rank : session_->ranks()) {
    VT_TRY(auto seconds, rank.device->seconds(room(rank).begin, room(rank).end));
    out.seconds.push_back(seconds / iterations);
  }
  return out;
}

Result<std::vector<double>> NcclBench::time_each(std::uint64_t bytes, int warmup, int iterations) {
  auto& rank = session_->ranks().front();
  std::vector<gpu::Mark> marks;
  for (int i = 0; i <= iterations; ++i) {
    VT_TRY(auto mark, rank.device->new_mark());
    marks.push_back(mark);
  }
  auto work = [&]() -> Status {
    for (int i = -warmup; i < iterations; ++i) {
      if (i >= 0) VT_CHECK(rank.device->mark(marks[static_cast<std::size_t>(i)], rank.stream));
      VT_CHECK(call(bytes, false));
      VT_CHECK(session_->settle());
    }
    return rank.device->mark(marks.back(), rank.stream);
  };
  VT_CHECK(session_->run(title(bytes) + ", timed", work));
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    VT_TRY(auto seconds, rank.device->seconds(marks[i], marks[i + 1]));
    out.push_back(seconds);
  }
  return out;
}

}  // namespace vt::checks
