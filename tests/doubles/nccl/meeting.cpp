#include "tests/doubles/nccl/meeting.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

namespace vt::doubles {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPrefix = "vault-test-nccl-";

std::string folder() {
  if (access("/dev/shm", W_OK) == 0) return "/dev/shm/";
  auto* other = std::getenv("TMPDIR");
  return std::string(other ? other : "/tmp") + "/";
}

/// What processes that are gone have left before all had come.
void sweep() {
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator(folder(), error)) {
    auto name = entry.path().filename().string();
    if (name.rfind(kPrefix, 0) != 0) continue;
    auto pid = std::atoi(name.c_str() + std::strlen(kPrefix));
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) unlink(entry.path().c_str());
  }
}

}  // namespace

std::string Meeting::new_name() {
  static std::atomic<int> count;
  sweep();
  return folder() + kPrefix + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" +
         std::to_string(Clock::now().time_since_epoch().count());
}

std::shared_ptr<Meeting> Meeting::join(const std::string& name, int rank, int world) {
  auto file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  std::shared_ptr<Meeting> out(new Meeting(name, file, rank, world));
  return out->map() && out->lock_own() ? out : nullptr;
}

bool Meeting::map() {
  if (ftruncate(file_, static_cast<off_t>(size())) != 0) return false;
  auto* at = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at != MAP_FAILED) at_ = at;
  return at_ != nullptr;
}

bool Meeting::lock_own() const {
  struct flock lock {};
  lock.l_type = F_WRLCK, lock.l_start = rank_, lock.l_len = 1;
  if (fcntl(file_, F_OFD_SETLK, &lock) != 0) return false;
  if (static_cast<Shared*>(at_)->joined.fetch_add(1) + 1 == world_) unlink(path_.c_str());
  return true;
}

Meeting::~Meeting() {
  if (at_ && !complete()) unlink(path_.c_str());
  if (at_) munmap(at_, size());
  close(file_);
}

std::size_t Meeting::size() const {
  auto n = static_cast<std::size_t>(world_);
  return sizeof(Mailbox) * (n * n + 1);
}

Meeting::Mailbox& Meeting::box(int from, int to) const {
  return static_cast<Mailbox*>(at_)[1 + static_cast<std::size_t>(from) * static_cast<std::size_t>(world_) + static_cast<std::size_t>(to)];
}

bool Meeting::complete() const { return static_cast<Shared*>(at_)->joined >= world_; }

bool Meeting::gone(int peer) const {
  struct flock lock {};
  lock.l_type = F_WRLCK, lock.l_start = peer, lock.l_len = 1;
  return peer != rank_ && fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

bool Meeting::move_some(Part& part) {
  auto& mail = part.send ? box(rank_, part.peer) : box(part.peer, rank_);
  auto left = part.bytes - part.done;
  if (part.send) {
    if (mail.bytes.load(std::memory_order_acquire) != 0) return false;
    auto n = std::min(left, kChunk);
    std::memcpy(mail.data, part.data + part.done, n);
    mail.bytes.store(static_cast<std::uint32_t>(n), std::memory_order_release);
    part.done += n;
    return true;
  }
  auto n = std::min<std::size_t>(mail.bytes.load(std::memory_order_acquire), left);
  if (n == 0) return false;
  std::memcpy(part.data + part.done, mail.data, n);
  mail.bytes.store(0, std::memory_order_release);
  part.done += n;
  return true;
}

bool Meeting::move_each_once(std::vector<Part>& parts) {
  bool moved = false;
  std::set<std::pair<int, bool>> busy;  // what comes first between two ranks is done first
  for (auto& part : parts) {
    if (part.done == part.bytes || !busy.insert({part.peer, part.send}).second) continue;
    moved |= move_some(part);
  }
  return moved;
}

Ended Meeting::exchange(std::vector<Part> parts, const std::atomic<bool>& aborted) {
  constexpr auto kLook = std::chrono::milliseconds(10);
  auto look = Clock::now() + kLook;
  auto open = [](auto& part) { return part.done < part.bytes; };
  for (int idle = 0; std::any_of(parts.begin(), parts.end(), open);) {
    if (aborted) return Ended::aborted;
    if (move_each_once(parts)) {
      idle = 0;
      continue;
    }
    if (++idle < 50) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (Clock::now() < look) continue;
    look = Clock::now() + kLook;
    for (auto& part : parts)
      if (open(part) && gone(part.peer) && !move_some(part)) return Ended::peer_gone;
  }
  return Ended::well;
}

}  // namespace vt::doubles
