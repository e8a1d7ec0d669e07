#include "tests/doubles/cuda/arena.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace vt::doubles {

namespace {

constexpr std::size_t kAlignment = 4096;  // pages, so that freed memory goes back to the machine

std::size_t rounded(std::size_t bytes) { return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Arena::Arena(int gpu) : gpu_(gpu), size_(host().gpus[static_cast<std::size_t>(gpu)].free / kAlignment * kAlignment) {
  auto* at = mmap(nullptr, std::max(size_, kAlignment), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = static_cast<unsigned char*>(at);
  if (at == MAP_FAILED) size_ = 0;
}

void* Arena::allocate(std::size_t bytes) {
  std::lock_guard hold(mutex_);
  std::size_t at = 0, wanted = rounded(bytes);
  for (auto& [begin, length] : taken_) {
    if (begin - at >= wanted) break;
    at = begin + length;
  }
  if (wanted > size_ || at > size_ - wanted) return nullptr;
  taken_[at] = wanted;
  return base_ + at;
}

bool Arena::free(void* at) {
  std::lock_guard hold(mutex_);
  if (!holds(at)) return false;
  auto found = taken_.find(static_cast<std::size_t>(static_cast<unsigned char*>(at) - base_));
  if (found == taken_.end()) return false;
  madvise(at, found->second, MADV_DONTNEED);
  taken_.erase(found);
  return true;
}

bool Arena::holds(const void* at) const { return at >= base_ && at < base_ + size_; }

bool Arena::holds(const void* at, std::size_t bytes) const {
  std::lock_guard hold(mutex_);
  if (!holds(at)) return false;
  auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(at) - base_);
  auto next = taken_.upper_bound(offset);
  return next != taken_.begin() && offset + bytes <= std::prev(next)->first + std::prev(next)->second;
}

std::uint64_t Arena::left() const {
  std::lock_guard hold(mutex_);
  auto out = size_;
  for (auto& [begin, length] : taken_) out -= length;
  return out;
}

void Arena::apply_flaws() const {
  for (auto& flaw : host().faults) {
    if (flaw.kind != "memory-flaw" || (flaw.gpu >= 0 && flaw.gpu != gpu_)) continue;
    for (auto i = flaw.offset; i < flaw.offset + flaw.count; ++i) {
      if (i >= size_ || !holds(base_ + i, 1)) continue;
      auto mask = static_cast<unsigned char>(1U << flaw.bit);
      auto stuck = static_cast<unsigned char>(flaw.value ? base_[i] | mask : base_[i] & ~mask);
      if (base_[i] != stuck) base_[i] = stuck;
    }
  }
}

}  // namespace vt::doubles
