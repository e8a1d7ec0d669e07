#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "orchestrator/model/result.hpp"
#include "providers/cloud.hpp"

namespace vt::emulator {

/// What stands behind the emulated instances and pods.
enum class HostKind {
  automatic,  ///< the best that works here: pods as containers, instances as systemd machines
  vm,         ///< instances as QEMU machines
  process,    ///< plain processes: works without root
  none        ///< nothing: they run, but nobody answers there (for clients of the API alone)
};

struct Options {
  std::string folder;      ///< its books, and its hosts' files; made 0700. Hosts that an emulator which died left there are cleared first
  int port = 0;            ///< on 127.0.0.1; 0: a free one
  double pace = 1;         ///< every delay is multiplied by it; the billing meter runs as much faster
  std::uint64_t seed = 0;  ///< of the fault plan; also of ids
  std::string faults;      ///< "": none; "random": drawn from the seed; else a fault plan as JSON text, see faults.hpp
  HostKind hosts = HostKind::automatic;
  bool any_token =
      false;  ///< take every bearer token and project (for gcloud, which brings its own); else only those of rehearsal_access()
};

/// The two clouds on a loopback port, in this process:
///   /compute/v1/…, /batch/…            Compute Engine            /v2/…               RunPod REST v2
///   /token, /computeMetadata/v1/…      Google's token endpoint and metadata server
///   /emulator/books                    everything that ever existed, with times, bills and marks, as JSON (the judge of the tests)
///   /emulator/foreign, /emulator/preempt, /emulator/log …        handles for tests
/// Gone when the object goes, hosts included; the books stay in the folder.
class Emulator {
 public:
  static Result<std::unique_ptr<Emulator>> start(Options);
  ~Emulator();
  [[nodiscard]] std::string address() const;  ///< "http://127.0.0.1:PORT"
  [[nodiscard]] int port() const;
  /// What stands behind pods and instances, and why nothing better: "pods: runc containers; instances: systemd-nspawn".
  [[nodiscard]] std::string hosts_text() const;
  [[nodiscard]] std::string faults_text() const;  ///< the fault plan as JSON, drawn or given: what reproduces this run

 private:
  struct Impl;
  explicit Emulator(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

/// Everything a rehearsal needs to talk to the emulator at `address` and to nothing else: made-up credentials (a service account
/// key, a RunPod key; both kept in `folder`, so that later commands are the same account), loopback only.
Result<CloudAccess> rehearsal_access(const std::string& address, const std::string& folder, double pace);

}  // namespace vt::emulator
