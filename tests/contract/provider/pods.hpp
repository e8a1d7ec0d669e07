#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/container/process.hpp"
#include "providers/registry.hpp"

namespace vt::test {

inline Deadline within(int seconds) { return Deadline::after(std::chrono::seconds(seconds)); }

/// A state folder of its own; every pod left in it is destroyed at the end.
class PodHome {
 public:
  PodHome() {
    char name[] = "/tmp/vt-pods-XXXXXX";
    path = mkdtemp(name);
  }
  PodHome(const PodHome&) = delete;
  PodHome& operator=(const PodHome&) = delete;
  ~PodHome() {
    auto provider = make();
    for (auto& name : std::filesystem::directory_iterator(std::filesystem::path(path))) {
      if (name.path().filename() != "pods") continue;
      for (auto& pod : std::filesystem::directory_iterator(name.path())) (void)provider->destroy(named(pod.path().filename()));
    }
    std::filesystem::remove_all(path);
  }
  [[nodiscard]] std::unique_ptr<Provider> make() const { return find_provider("container")->make({path, &clock}); }
  static Resource named(const std::string& name) {
    Resource r;
    r.owner.name = name;
    return r;
  }

  std::string path;
  SystemClock clock;
};

inline std::string random_text(std::size_t length) {
  static std::mt19937 engine{std::random_device{}()};
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += "abcdefghijklmnopqrstuvwxyz234567"[engine() % 32];
  return text;
}

/// A new intent, as the ledger would have it.
inline Resource intent(const std::string& install, std::chrono::milliseconds lease = std::chrono::minutes(2)) {
  Resource r;
  r.owner.install = install;
  r.owner.attempt = random_text(16);
  r.owner.name = "vt-" + install + "-" + r.owner.attempt;
  r.owner.expires = SystemClock().wall() + lease.count();
  r.owner.token = random_text(26);
  return r;
}

inline Layer pod_layer(const std::string& backend = "") {
  Layer layer;
  layer.name = "podlike";
  layer.provider = "container";
  if (!backend.empty()) layer.options["backend"] = {backend};
  return layer;
}

/// Why a pod of that backend cannot be made here; empty if it can.
inline std::string cannot(Provider& provider, const Layer& layer) {
  for (auto& finding : provider.preflight(layer))
    if (finding.weight == Finding::Weight::stops) return finding.what;
  return "";
}

inline bool lists(Provider& provider, const Resource& r) {
  auto listing = provider.list_owned(r.owner.install);
  EXPECT_TRUE(listing && listing->complete);
  if (!listing) return false;
  for (auto& seen : listing->resources)
    if (seen.owner.name == r.owner.name) return true;
  return false;
}

inline bool has_processes(const std::string& pod) {
  for (auto& process : scan_processes().marked)
    if (process.pod == pod) return true;
  return false;
}

/// Output of a command on the host, trimmed; what went wrong if it could not be run.
inline std::string ask(const Host& host, const std::string& command) {
  auto transport = connect(host, within(10));
  if (!transport) return "error: " + transport.error().what;
  auto result = exec(**transport, command, "", within(20));
  return result ? std::string(trim(result->out)) : "error: " + result.error().what;
}

}  // namespace vt::test
