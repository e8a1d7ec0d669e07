#include "providers/emulator/emulator.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>

#include "orchestrator/host/fd.hpp"
#include "providers/emulator/world.hpp"

namespace vt::emulator {

struct Emulator::Impl {
  explicit Impl(Options options) : world(std::move(options)) {}
  ~Impl();
  Status open();

  World world;
  std::string hosts;
  Fd folder_lock;
};

namespace {

Status make_private(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || chmod(folder.c_str(), 0700) != 0) return fail(Errc::storage, "cannot make the emulator's folder " + folder);
  return {};
}

/// Two emulators in one folder would end each other's hosts.
Result<Fd> only_one_in(const std::string& folder) {
  Fd lock(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0 || flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(Errc::refused, "an emulator is at work in " + folder + "; wait for its rehearsal to end, or use another --state-dir");
  return lock;
}

}  // namespace

Status Emulator::Impl::open() {
  const Options& o = world.options;
  if (!(o.pace > 0)) return fail(Errc::usage, "the pace must be above 0");
  VT_CHECK(make_private(o.folder));
  VT_TRY(folder_lock, only_one_in(o.folder));
  VT_TRY(world.books, Books::open(o.folder, world.clock));
  VT_TRY(Faults faults, Faults::make(o.faults, o.seed));
  world.faults = std::make_unique<Faults>(std::move(faults));
  VT_TRY(world.hosting, Hosting::make(o.hosts, o.folder, hosts));
  world.server = std::make_unique<Server>(*world.books, *world.faults, world.clock);
  add_controls(world);
  add_gcp(world);
  add_runpod(world);
  return world.server->start(o.port);
}

Emulator::Impl::~Impl() {
  {
    std::lock_guard lock(world.mutex);
    world.ending = true;
    world.changed.notify_all();
  }
  if (world.server) world.server->stop();
  world.clock.stop();
  world.hosting.reset();
}

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Emulator::~Emulator() = default;

Result<std::unique_ptr<Emulator>> Emulator::start(Options options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  VT_CHECK(impl->open());
  return std::unique_ptr<Emulator>(new Emulator(std::move(impl)));
}

std::string Emulator::address() const { return impl_->world.server->base(); }
int Emulator::port() const { return impl_->world.server->port(); }
std::string Emulator::hosts_text() const { return impl_->hosts; }
std::string Emulator::faults_text() const { return impl_->world.faults->json(); }

}  // namespace vt::emulator
