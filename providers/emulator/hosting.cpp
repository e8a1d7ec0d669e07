#include "providers/emulator/hosting.hpp"

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <thread>
#include <vector>

namespace vt::emulator {

namespace {

constexpr int kWorkers = 4;
constexpr int kMadeUpPort = 40000;  ///< first one shown where nobody answers

struct Entry {
  HostOrder order;
  std::deque<std::function<void(Entry&)>> jobs;
  bool busy = false;  ///< a worker has it, or it waits for one
  std::atomic<bool> stopped{false};

  std::mutex using_host;  ///< held while a call on the host runs
  std::unique_ptr<EmulatedHost> host;
  std::atomic<int> port{0};
  std::atomic<bool> lives{false};
  std::string last_log;  ///< under using_host
};

}  // namespace

struct Hosting::Impl {
  std::unique_ptr<HostMaker> pods, machines;  ///< null: nobody answers
  std::string folder;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Entry>> entries;
  std::deque<std::shared_ptr<Entry>> ready;
  bool ending = false;
  int made_up = kMadeUpPort;
  std::vector<std::thread> workers;

  void work();
  void post(const std::string& id, std::function<void(Entry&)> job);
  void end(Entry&);
  Status begin(Entry&);
  [[nodiscard]] std::shared_ptr<Entry> find(const std::string& id);
};

std::shared_ptr<Entry> Hosting::Impl::find(const std::string& id) {
  std::lock_guard lock(mutex);
  auto found = entries.find(id);
  return found == entries.end() ? nullptr : found->second;
}

void Hosting::Impl::post(const std::string& id, std::function<void(Entry&)> job) {
  std::lock_guard lock(mutex);
  auto found = entries.find(id);
  if (found == entries.end()) return;
  auto& entry = found->second;
  entry->jobs.push_back(std::move(job));
  if (std::exchange(entry->busy, true)) return;
  ready.push_back(entry);
  changed.notify_one();
}

void Hosting::Impl::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ending || !ready.empty(); });
    if (ready.empty()) return;
    auto entry = std::move(ready.front());
    ready.pop_front();
    auto job = std::move(entry->jobs.front());
    entry->jobs.pop_front();
    lock.unlock();
    job(*entry);
    job = nullptr;
    lock.lock();
    if (entry->jobs.empty()) entry->busy = false;
    else ready.push_back(entry), changed.notify_one();
  }
}

Status Hosting::Impl::begin(Entry& entry) {
  auto& maker = entry.order.kind == HostOrder::Kind::pod ? pods : machines;
  if (!maker) {
    std::lock_guard lock(mutex);
    entry.port = entry.order.public_port != 0 ? entry.order.public_port : made_up++;
    entry.lives = true;
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(entry.order.folder, error);
  if (error || chmod(entry.order.folder.c_str(), 0700) != 0) return fail(Errc::storage, "cannot make " + entry.order.folder);
  std::lock_guard lock(entry.using_host);
  VT_TRY(entry.host, maker->start(entry.order));
  entry.port = entry.host->public_port(), entry.lives = true;
  return {};
}

void Hosting::Impl::end(Entry& entry) {
  {
    std::lock_guard lock(entry.using_host);
    entry.lives = false, entry.port = 0;
    if (entry.host) (void)entry.host->stop();
    entry.host.reset();
  }
  std::error_code ignored;  // what cannot be removed is cleared at the next start
  std::filesystem::remove_all(entry.order.folder, ignored);
  std::lock_guard lock(mutex);
  entries.erase(entry.order.id);  // `entry` lives on in the job's caller
}

Hosting::Hosting(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Hosting>> Hosting::make(HostKind kind, const std::string& folder, std::string& text) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder + "/hosts";
  if (kind == HostKind::none) {
    text = "nothing stands behind pods and instances";
  } else {
    std::string no_pod, no_machine;
    bool plain = kind == HostKind::process;
    impl->pods = make_pod_maker(plain, no_pod);
    if (kind == HostKind::vm) {
      auto vms = make_vm_maker(folder);
      if (!vms) return fail(Errc::usage, "no QEMU machines here: " + vms.error().what);
      impl->machines = std::move(vms).take();
    } else {
      impl->machines = make_machine_maker(plain, no_machine);
    }
    if (!impl->pods || !impl->machines) return fail(Errc::usage, "no emulated hosts here: " + (impl->pods ? no_machine : no_pod));
    auto why = [](const std::string& reason) { return reason.empty() ? "" : " (" + reason + ")"; };
    text = "pods: " + impl->pods->text() + why(no_pod) + "; instances: " + impl->machines->text() + why(no_machine);
    std::error_code ignored;
    std::filesystem::create_directories(impl->folder, ignored);
    VT_CHECK(impl->pods->clear(impl->folder));
    VT_CHECK(impl->machines->clear(impl->folder));
  }
  for (int i = 0; i < kWorkers; ++i) impl->workers.emplace_back([raw = impl.get()] { raw->work(); });
  return std::unique_ptr<Hosting>(new Hosting(std::move(impl)));
}

Hosting::~Hosting() {
  std::vector<std::string> ids;
  {
    std::lock_guard lock(impl_->mutex);
    for (auto& [id, entry] : impl_->entries) ids.push_back(id);
  }
  for (auto& id : ids) stop(id);
  {
    std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
    impl_->changed.notify_all();
  }
  for (auto& worker : impl_->workers) worker.join();
}

void Hosting::start(HostOrder order, std::function<void(Status)> done) {
  std::string id = order.id;
  order.folder = impl_->folder + "/" + id;
  auto entry = std::make_shared<Entry>();
  entry->order = std::move(order);
  {
    std::lock_guard lock(impl_->mutex);
    impl_->entries[id] = entry;
  }
  impl_->post(id, [impl = impl_.get(), done = std::move(done)](Entry& e) {
    if (e.stopped) return;
    Status begun = impl->begin(e);
    if (!e.stopped) done(begun);
  });
}

void Hosting::pause(const std::string& id) {
  impl_->post(id, [](Entry& e) {
    std::lock_guard lock(e.using_host);
    if (e.host) (void)e.host->stop();
    e.lives = false;
  });
}

void Hosting::restart(const std::string& id, std::function<void(Status)> done) {
  impl_->post(id, [done = std::move(done)](Entry& e) {
    if (e.stopped) return;
    Status begun;
    if (e.host) {
      std::lock_guard lock(e.using_host);
      begun = e.host->restart();
      e.port = e.host->public_port();
    }
    e.lives = begun.has_value();
    if (!e.stopped) done(begun);
  });
}

void Hosting::stop(const std::string& id) {
  auto entry = impl_->find(id);
  if (!entry || entry->stopped.exchange(true)) return;
  impl_->post(id, [impl = impl_.get()](Entry& e) { impl->end(e); });
}

void Hosting::move_port(const std::string& id) {
  impl_->post(id, [impl = impl_.get()](Entry& e) {
    if (e.stopped) return;
    if (!e.host) {
      std::lock_guard lock(impl->mutex);
      e.port = impl->made_up++;
      return;
    }
    std::lock_guard lock(e.using_host);
    if (auto port = e.host->move_port()) e.port = *port;
  });
}

int Hosting::public_port(const std::string& id) const {
  auto entry = impl_->find(id);
  return entry ? entry->port.load() : 0;
}

bool Hosting::alive(const std::string& id) const {
  auto entry = impl_->find(id);
  if (!entry) return false;
  std::unique_lock lock(entry->using_host, std::try_to_lock);
  if (lock && entry->host) entry->lives = entry->host->alive();
  return entry->lives;
}

std::string Hosting::log(const std::string& id) const {
  auto entry = impl_->find(id);
  if (!entry) return "";
  std::unique_lock lock(entry->using_host, std::try_to_lock);
  if (!lock) return "";  // it starts or ends just now
  if (entry->host) entry->last_log = entry->host->log();
  return entry->last_log;
}

std::string Hosting::login() const { return impl_->pods ? impl_->pods->login() : "root"; }
std::string Hosting::machine_login() const { return impl_->machines ? impl_->machines->login() : ""; }

}  // namespace vt::emulator
