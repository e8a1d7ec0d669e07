#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <fstream>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr int kCannotMount = 77;

/// A tmpfs of 4 MiB at `path` that only this process sees and that goes with it. Needs root or user namespaces.
bool mount_small_disk(const std::string& path) {
  auto uid = geteuid();
  if (unshare(CLONE_NEWNS | (uid == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (uid != 0) std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("tmpfs", path.c_str(), "tmpfs", 0, "size=4m,mode=0700") == 0;
}

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

int fill_with_results(Store& store) {
  for (int i = 0;; ++i) {
    auto k = key("r1", "h0", "c" + std::to_string(i));
    auto o = observation(k);
    o.out.head.assign(64 * 1024, 'x');
    auto done = store.add_result(&o, judgement(k, Verdict::pass));
    if (done) continue;
    check(done.error().code == Errc::disk_full, "not disk_full: " + done.error().what);
    return i;
  }
}

/// What results left over, to the last byte.
void fill_the_rest(const std::string& path) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::string block(4096, 'x');
  while (write(fd, block.data(), block.size()) > 0) continue;
  check(errno == ENOSPC, "expected a full disk");
  close(fd);
}

int run_on_a_full_disk(const std::string& mount_point) {
  if (!mount_small_disk(mount_point)) return kCannotMount;
  ManualClock clock;
  auto state = mount_point + "/state";
  auto store = must(Store::open(state, clock));
  auto ledger = must(Ledger::open(state, clock));
  auto r = resource(*ledger);
  must(ledger->plan(r));
  must(ledger->update(r.owner.name, "asked", [](Resource& x) { x.state = ResourceState::creating; }));
  add_run(*store, "r1");
  int acknowledged = fill_with_results(*store);
  fill_the_rest(mount_point + "/rest");

  check(code_of(store->add_event("r1", "", event::Noted{"info", std::string(8192, 'x')})) == Errc::disk_full, "an event fitted");
  check(code_of(store->add_artefact({.run = "r1", .layer = "", .host = "", .check = "", .name = "log", .sha256 = ""},
                                    std::string(9000, 'x'))) == Errc::disk_full,
        "an artefact fitted");
  check(must(store->judgements("r1")).size() == static_cast<std::size_t>(acknowledged), "a result is lost");
  check(sql(state + "/results.db", "PRAGMA integrity_check") == "ok", "results.db is broken");

  must(Ledger::open(state, clock));  // as reap would
  auto& name = r.owner.name;
  must(ledger->update(name, "there", [](Resource& x) { x.state = ResourceState::created; }));
  must(ledger->update(name, "release", [](Resource& x) { x.state = ResourceState::deleting; }));
  must(ledger->update(name, "confirmed", [](Resource& x) { x.state = ResourceState::gone; }));
  check(!std::filesystem::exists(state + "/ledger.ballast"), "the ballast was not needed: the disk was not full");
  check(sql(state + "/ledger.db", "PRAGMA integrity_check") == "ok", "ledger.db is broken");

  fill_the_rest(mount_point + "/rest2");
  check(code_of(ledger->plan(resource(*ledger))) == Errc::disk_full, "an intent began on a full disk");
  std::filesystem::remove(mount_point + "/rest");
  std::filesystem::remove(mount_point + "/rest2");
  must(ledger->plan(resource(*ledger)));
  check(std::filesystem::file_size(state + "/ledger.ballast") == 1U << 20, "the ballast is not back");
  must(store->add_event("r1", "", event::Noted{"info", "room again"}));
  return 0;
}

}  // namespace

TEST(DiskFull, IsSaidBreaksNothingAndLeavesRoomForTheLedger) {
  TempDir dir;
  auto status = exit_status(in_child([&] { return run_on_a_full_disk(dir.path()); }));
  if (status == kCannotMount) GTEST_SKIP() << "no right to mount a small tmpfs";
  EXPECT_EQ(status, 0);
}
