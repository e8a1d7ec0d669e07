#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <set>
#include <string>

#include "orchestrator/model/result.hpp"
#include "providers/emulator/books.hpp"
#include "providers/emulator/clock.hpp"
#include "providers/emulator/emulator.hpp"
#include "providers/emulator/faults.hpp"
#include "providers/emulator/hosting.hpp"
#include "providers/emulator/server.hpp"

namespace vt::emulator {

/// The handles that an API gives to tests, behind /emulator/….
struct Controls {
  /// Makes a stranger's resource; the body of POST /emulator/foreign without "api". Returns its id.
  std::function<Result<std::string>(const nlohmann::json&)> foreign;
  /// Ends a resource as the provider would: "preempt", "expire", "vanish". False if it has no such resource alive.
  std::function<bool(const std::string& id, const std::string& how)> end;
};

/// What the APIs share. Members are thread-safe unless they say otherwise.
struct World {
  explicit World(Options o) : options(std::move(o)), clock(options.pace), random(options.seed) {}

  const Options options;
  Clock clock;
  std::unique_ptr<Books> books;
  std::unique_ptr<Faults> faults;
  std::unique_ptr<Server> server;
  std::unique_ptr<Hosting> hosting;
  std::map<Api, Controls> controls;  ///< filled before the server starts

  /// Guards all that the APIs keep, and `random`. Held for the length of a handler or a timer's action, never while waiting for a host.
  std::mutex mutex;
  std::condition_variable changed;  ///< something that a request may wait for has changed; also when it ends
  bool ending = false;              ///< under `mutex`: whoever waits gives up
  std::mt19937_64 random;           ///< under `mutex`

  // Who may come in where not every token is taken: made known by rehearsal_access() through POST /emulator/keys. Under `mutex`.
  std::map<std::string, std::string> google_keys;  ///< e-mail address of a service account -> its public key (PEM)
  std::set<std::string> runpod_keys;

  /// `length` characters of `alphabet`. Under `mutex`.
  std::string draw(std::size_t length, const char* alphabet);
  /// Runs `what` under `mutex` once that much emulated time has passed, unless it all ends before.
  void after(Duration emulated, std::function<void()> what);
};

/// Each adds its routes, error texts and controls to the world's server; called once, before it starts. What they keep lives as long as
/// the server.
void add_gcp(World&);
void add_runpod(World&);
void add_controls(World&);

}  // namespace vt::emulator
