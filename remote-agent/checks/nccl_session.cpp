#include "remote-agent/checks/nccl_session.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "remote-agent/base/hex.hpp"
#include "remote-agent/checks/meet.hpp"
#include "remote-agent/checks/nccl_transport.hpp"

namespace vt::checks {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLeaving = 5s;  ///< for giving the communicators back, where other ranks may be gone

std::chrono::milliseconds patience_of(const Task& task) {
  auto most = static_cast<double>(task.deadline_ms) * 0.6;  // time is left to tell of it
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(task.number("patience", 30) * 1000, 1.0, std::max(1.0, most))));
}

Result<gpu::NcclId> id_of(const std::string& hex) {
  gpu::NcclId id{};
  auto bytes = from_hex(hex);
  if (bytes.size() != id.size()) return fail(Errc::internal, "what rank 0 published is no NCCL id");
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id;
}

std::uint64_t seed_of(const gpu::NcclId& id) {
  std::uint64_t seed = 0xCBF29CE484222325ULL;  // FNV-1a
  for (char c : id) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return seed;
}

/// Rank 0's id, on every rank.
Result<gpu::NcclId> shared_id(const gpu::Nccl& nccl, const Task& task, Reporter& report, const std::string& key) {
  if (task.rank == 0) {
    VT_TRY(auto id, nccl.new_id());
    report.publish(key, to_hex({id.data(), id.size()}));  // hexadecimal digits are base64, which it must be
    return id;
  }
  auto hex = report.await(key);
  if (!hex) return fail(Errc::timeout, "rank 0 published no NCCL id");
  return id_of(*hex);
}

}  // namespace

NcclSession::NcclSession(const Task& task, Reporter& report, gpu::Nccl nccl, NcclSettings settings, const std::string& tag)
    : report_(report),
      nccl_(std::move(nccl)),
      settings_(std::move(settings)),
      tag_(tag),
      patience_(patience_of(task)),
      watchdog_(patience_, [this](NcclWatchdog::Where where) {
        stuck_ = where == NcclWatchdog::Where::calling;
        tell(stuck_ ? "call" : "wait");
      }) {}

/// Four letters are base64.
void NcclSession::tell(const char* state) {
  if (told_.exchange(true)) return;
  for (auto& rank : ranks_) report_.publish(key(rank.rank), state);
}

NcclSession::~NcclSession() {
  tell("gone");  // whoever waits for this rank has waited in vain
  std::promise<void> left;
  auto done = left.get_future();
  std::thread([comms = std::move(comms_), left = std::move(left)]() mutable {
    comms.clear();
    left.set_value();
  }).detach();
  done.wait_for(kLeaving);
}

Status NcclSession::add(gpu::Device& device, int rank) {
  VT_CHECK(device.use());
  VT_TRY(auto stream, device.new_stream());
  ranks_.push_back({&device, nullptr, stream, rank});
  return {};
}

Status NcclSession::init(const std::function<Status()>& join) {
  auto since = Clock::now();
  VT_CHECK(run("init", join));
  init_seconds_ = std::chrono::duration<double>(Clock::now() - since).count();
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].comm = comms_[i].get();
  return {};
}

Result<std::unique_ptr<NcclSession>> NcclSession::join(const Task& task, gpu::Device& device, Reporter& report, gpu::Calls calls,
                                                       const std::string& tag) {
  if (task.on_cpu()) return fail(Errc::refused, "NCCL needs GPUs");
  if (task.world < 2) return fail(Errc::refused, "NCCL needs two GPUs to have something to do; there is one");
  NcclSettings settings(task);
  if (calls == gpu::Calls::in_order) {
    VT_TRY(auto tried, join(task, device, report, gpu::Calls::at_once, tag + ".try"));
    settings = std::move(tried->settings_);  // NCCL goes on writing the log with which it was opened
  }
  VT_TRY(auto nccl, gpu::Nccl::open());
  std::unique_ptr<NcclSession> out(new NcclSession(task, report, nccl, std::move(settings), tag));
  VT_CHECK(out->add(device, task.rank));
  out->world_ = task.world;
  VT_TRY(auto id, shared_id(nccl, task, report, "nccl" + tag + ".id"));
  out->seed_ = seed_of(id);
  if (calls == gpu::Calls::in_order) VT_CHECK(meet(task, report, "nccl" + tag + ".join"));
  VT_CHECK(out->init([&]() -> Status {
    VT_TRY(auto comm, nccl.join(id, task.rank, task.world, calls));
    out->comms_.push_back(std::move(comm));
    return {};
  }));
  return out;
}

Result<std::unique_ptr<NcclSession>> NcclSession::join_all(const Task& task, const gpu::Devices& devices, Reporter& report) {
  if (task.on_cpu()) return fail(Errc::refused, "NCCL needs GPUs");
  if (devices.size() < 2) return fail(Errc::refused, "NCCL needs two GPUs to have something to do; there is one");
  NcclSettings settings(task);
  VT_TRY(auto nccl, gpu::Nccl::open());
  std::unique_ptr<NcclSession> out(new NcclSession(task, report, nccl, std::move(settings), ""));
  out->world_ = static_cast<int>(devices.size());
  std::vector<int> ordinals;
  for (auto& device : devices) {
    VT_CHECK(out->add(*device, static_cast<int>(ordinals.size())));
    ordinals.push_back(device->info().ordinal);
  }
  VT_TRY(auto id, nccl.new_id());
  out->seed_ = seed_of(id);
  VT_CHECK(out->init([&]() -> Status {
    VT_TRY(out->comms_, nccl.join_all(ordinals));
    return {};
  }));
  return out;
}

NcclSession::Attempt NcclSession::attempt(const std::string& what, const std::function<Status()>& enqueue) {
  report_.progress(what + ": calling", -1);
  watchdog_.begin(comms_);
  auto done = enqueue();
  watchdog_.entered(comms_);
  if (done) {
    report_.progress(what + ": waiting", -1);
    done = finish();
  }
  watchdog_.end();
  return {done, watchdog_.timed_out(), watchdog_.trouble()};
}

Status NcclSession::run(const std::string& what, const std::function<Status()>& enqueue) {
  auto ended = attempt(what, enqueue);
  if (!ended.trouble.empty()) return fail(Errc::lost, what + ": " + ended.trouble);
  if (ended.timed_out) return timed_out(what);
  if (!ended.done) return fail(ended.done.error().code, what + ": " + ended.done.error().what);
  return {};
}

Status NcclSession::finish() {
  VT_CHECK(settle());
  for (auto& rank : ranks_) VT_CHECK(rank.device->finish(rank.stream));
  for (auto& comm : comms_) VT_CHECK(comm->trouble());
  return {};
}

Status NcclSession::settle() {
  for (auto& comm : comms_) VT_CHECK(comm->settle());
  return {};
}

/// Eight digits are base64.
Result<std::uint64_t> NcclSession::largest(std::uint64_t own) {
  if (ranks_.size() != 1) return own;
  auto key = [&, number = asked_++](int rank) { return "nccl" + tag_ + ".largest." + std::to_string(number) + "." + std::to_string(rank); };
  auto here = ranks_[0].rank;
  own = std::min<std::uint64_t>(own, 99'999'999);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08" PRIu64, own);
  report_.publish(key(here), digits);
  for (int rank = 0; rank < world_; ++rank) {
    auto other = rank == here ? std::optional<std::string>(digits) : report_.await(key(rank));
    if (!other) return fail(Errc::timeout, "rank " + std::to_string(rank) + " did not come");
    own = std::max<std::uint64_t>(own, std::strtoull(other->c_str(), nullptr, 10));
  }
  return own;
}

Status NcclSession::each(const std::function<Status(NcclRank&)>& call) {
  return nccl_.together([&]() -> Status {
    for (auto& rank : ranks_) VT_CHECK(call(rank));
    return {};
  });
}

Status NcclSession::timed_out(const std::string& what) {
  if (stuck_) std::_Exit(kHung);
  auto waited = what + ": no end after " + std::to_string(patience_.count()) + " ms; aborted: ";
  for (int rank = 0; rank < world_; ++rank) {
    bool here = std::any_of(ranks_.begin(), ranks_.end(), [&](auto& r) { return r.rank == rank; });
    auto state = here ? std::string("wait") : report_.await(key(rank));
    if (!state) return fail(Errc::timeout, waited + "rank " + std::to_string(rank) + " does not say how far it came");
    auto did = *state == "call" ? " never entered it" : " has given up";
    if (*state != "wait") return fail(Errc::timeout, waited + "rank " + std::to_string(rank) + did);
  }
  std::_Exit(kHung);  // all had entered it: the fault is below, and no rank is better than another
}

nlohmann::json NcclSession::about() const {
  auto out = nccl_transport(settings_.log());
  out["nccl"] = nccl_.version(), out["library"] = nccl_.path(), out["init_s"] = init_seconds_, out["ranks"] = world_;
  return out;
}

}  // namespace vt::checks
