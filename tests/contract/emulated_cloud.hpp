#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "providers/emulator/emulator.hpp"
#include "providers/provider.hpp"
#include "tests/support/temp_dir.hpp"

// What the contracts of both cloud clients with their emulators share.
namespace vt::test {

/// An emulator in a folder of its own, and what a client of it is given.
class EmulatedCloud {
 public:
  /// `faults` is a fault plan.
  EmulatedCloud(const std::string& faults, emulator::HostKind hosts, double pace) {
    emulator::Options options;
    options.folder = dir_ / "emulator", options.pace = pace, options.faults = faults, options.hosts = hosts, options.seed = 1;
    auto started = emulator::Emulator::start(options);
    if (!started) {
      problem_ = started.error().what;
      return;
    }
    emulator_ = std::move(started).take();
    auto access = emulator::rehearsal_access(emulator_->address(), dir_ / "access", pace);
    if (!access) problem_ = access.error().what;
    else cloud_ = *access;
  }
  /// Empty if it works.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const emulator::Emulator& emulator() const { return *emulator_; }
  [[nodiscard]] const CloudAccess& access() const { return cloud_; }
  /// The same for every client, as after a crash.
  [[nodiscard]] ProviderContext context() const {
    ProviderContext context;
    context.state_dir = dir_.path(), context.clock = &clock_, context.cloud = cloud_, context.prices = VT_SOURCE_DIR "/plans/prices";
    return context;
  }
  /// A row of installation "contract", never the same twice.
  [[nodiscard]] Resource row(const std::string& provider, Duration lease) const {
    static int number = 0;
    auto attempt = std::to_string(getpid()) + "x" + std::to_string(++number);
    Resource r;
    r.owner = {"contract", attempt, "vt-contract-" + attempt, (clock_.wall() + lease.count()) / 1000 * 1000, "token" + attempt};
    r.provider = provider, r.kind = "host", r.run = "20261120-115606-lciz";
    return r;
  }

 private:
  SystemClock clock_;
  TempDir dir_;
  std::unique_ptr<emulator::Emulator> emulator_;
  CloudAccess cloud_;
  std::string problem_;
};

/// A plan with one fault, for the first such call.
inline std::string fault_plan(const std::string& api, const std::string& call, const std::string& kind, int seconds) {
  nlohmann::json one{{"api", api}, {"call", call}, {"nth", 1}, {"kind", kind}};
  if (seconds > 0) one["seconds"] = seconds;
  return nlohmann::json::array({one}).dump();
}

inline Deadline within(int seconds) { return Deadline::after(std::chrono::seconds(seconds)); }

/// Creates a row that must succeed; its id is filled in.
inline void create(Provider& provider, Resource& r, const Layer& layer) {
  auto outcome = provider.create(layer, r);
  if (auto refused = std::get_if<Refused>(&outcome)) FAIL() << refused->what;
  if (auto unclear = std::get_if<Ambiguous>(&outcome)) FAIL() << unclear->what;
  r.provider_id = std::get<Created>(outcome).provider_id;
}

/// Whether what was listed is that row's, marks and all.
inline bool is_row(const Resource& seen, const Resource& r) {
  return seen.owner.name == r.owner.name && seen.owner.token == r.owner.token && seen.owner.expires == r.owner.expires;
}

}  // namespace vt::test
