#include "remote-agent/checks/mem_cells.hpp"

#include <algorithm>
#include <cstring>

#include "remote-agent/checks/miscompares.hpp"

namespace vt::checks {

namespace {

using kernels::MemoryErrors;
using kernels::Wide;

std::string bit_text(std::size_t bit, std::uint64_t set, std::uint64_t cleared) {
  std::string out = "bit " + std::to_string(bit) + ":";
  if (set > 0) out += " " + std::to_string(set) + " times 1 for 0";
  if (cleared > 0) out += (set > 0 ? "," : "") + (" " + std::to_string(cleared)) + " times 0 for 1";
  return out;
}

}  // namespace

std::string WrongMemory::text() const {
  return "byte " + hex(offset) + " (address " + hex(address) + "), pattern " + pattern + ": expected " + hex(expected) + ", found " +
         hex(found) + ", read again " + hex(again);
}

std::string MemoryFindings::bits() const {
  std::vector<std::size_t> wrong;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if (set[bit] + cleared[bit] > 0) wrong.push_back(bit);
  std::stable_sort(wrong.begin(), wrong.end(), [&](auto a, auto b) { return set[a] + cleared[a] > set[b] + cleared[b]; });
  std::string out;
  for (auto bit : wrong) out += (out.empty() ? "" : "; ") + bit_text(bit, set[bit], cleared[bit]);
  return out.empty() ? "none" : out;
}

std::string MemoryFindings::all() const {
  std::string out;
  for (auto& wrong : first) out += (out.empty() ? "" : "\n") + wrong.text();
  return out.empty() ? "none" : out;
}

std::string MemoryFindings::text() const {
  if (count == 0) return "none";
  auto worst = bits();
  return std::to_string(count) + (count == 1 ? " wrong word at " : " wrong words, first at ") + (first.empty() ? "" : first[0].text()) +
         "; " + worst.substr(0, worst.find(';'));
}

Result<CellTest> CellTest::make(gpu::Device& device, const TakenMemory& memory) {
  VT_TRY(auto errors, device.allocate(sizeof(MemoryErrors)));
  VT_TRY(auto fetched, device.allocate(sizeof(MemoryErrors), gpu::Place::pinned));
  VT_CHECK(device.set(errors.as<void>(), 0, sizeof(MemoryErrors)));
  return CellTest(device, memory, std::move(errors), std::move(fetched));
}

/// Every piece has its own offset in own-address patterns, so that two pieces that are one memory are found.
Status CellTest::each_piece(const Pattern& pattern, Order order, const Step& step) {
  std::uint64_t offset = 0;
  for (auto& piece : memory_->pieces) {
    kernels::CellRange range{piece.bytes() / sizeof(Wide), pattern.seed, pattern.complement ? ~0ULL : 0ULL, order == Order::backwards};
    if (pattern.kind == kernels::Cells::own_address) range.seed += offset / sizeof(std::uint64_t);
    VT_CHECK(step(piece, range));
    offset += piece.bytes();
  }
  return device_->finish();
}

Status CellTest::write(const Pattern& pattern) {
  moved_ += memory_->bytes;
  return each_piece(pattern, Order::forwards, [&](const gpu::Buffer& piece, const kernels::CellRange& range) {
    return device_->launch(VT_NAMED(vt_memory_write), {range.n}, {}, piece.as<Wide>(), pattern.kind, range);
  });
}

Status CellTest::check(const Pattern& pattern, Order order) {
  moved_ += memory_->bytes;
  std::uint64_t offset = 0;
  return each_piece(pattern, order, [&](const gpu::Buffer& piece, const kernels::CellRange& range) -> Status {
    VT_CHECK(device_->launch(VT_NAMED(vt_memory_check), {range.n}, {}, piece.as<Wide>(), pattern.kind, range, errors_.as<MemoryErrors>()));
    return collect(pattern, piece, std::exchange(offset, offset + piece.bytes()));
  });
}

Status CellTest::invert(const Pattern& pattern, Order order) {
  moved_ += 2 * memory_->bytes;
  std::uint64_t offset = 0;
  return each_piece(pattern, order, [&](const gpu::Buffer& piece, const kernels::CellRange& range) -> Status {
    VT_CHECK(device_->launch(VT_NAMED(vt_memory_invert), {range.n}, {}, piece.as<Wide>(), pattern.kind, range, errors_.as<MemoryErrors>()));
    return collect(pattern, piece, std::exchange(offset, offset + piece.bytes()));
  });
}

Status CellTest::collect(const Pattern& pattern, const gpu::Buffer& piece, std::uint64_t offset) {
  VT_CHECK(device_->copy(fetched_.as<void>(), errors_.as<void>(), sizeof(MemoryErrors)));
  VT_CHECK(device_->finish());
  auto& errors = *fetched_.as<MemoryErrors>();
  if (errors.count == 0) return {};
  findings_.count += errors.count;
  for (std::size_t bit = 0; bit < 64; ++bit) findings_.set[bit] += errors.set[bit], findings_.cleared[bit] += errors.cleared[bit];
  auto kept = std::min<std::uint64_t>(errors.count, MemoryErrors::kKept);
  for (std::uint64_t i = 0; i < kept && findings_.first.size() < MemoryErrors::kKept; ++i) {
    auto& [word, expected, found, again] = errors.first[i];
    findings_.first.push_back(
        {pattern.name, reinterpret_cast<std::uint64_t>(piece.as<char>()) + 8 * word, offset + 8 * word, expected, found, again});
  }
  return device_->set(errors_.as<void>(), 0, sizeof(MemoryErrors));
}

Status CellTest::damage() { return checks::damage(*device_, memory_->pieces[0], memory_->pieces[0].bytes() / 16); }

}  // namespace vt::checks
