#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// What is wanted of one emulated host.
struct HostOrder {
  std::string id;      ///< [a-z0-9-], unique; names its folder
  std::string folder;  ///< an existing folder of mode 0700 for everything of it
  enum class Kind { pod, machine } kind = Kind::pod;
  std::vector<std::string> command;                ///< pod: what runs as its start command
  std::map<std::string, std::string> environment;  ///< pod
  int api_port = 0;  ///< the emulator's own port on 127.0.0.1: inside, the same address leads to it; a machine also reaches it
                     ///< as its metadata server (169.254.169.254:80 where it has a network of its own, else through
                     ///< GCE_METADATA_HOST in its guest agent's environment)
  std::string public_address = "127.0.0.1";
  int public_port = 0;  ///< where its port 22 is to be reached from outside; 0: a free one
};

/// A host that was started. Ends with the object at the latest.
class EmulatedHost {
 public:
  virtual ~EmulatedHost() = default;
  [[nodiscard]] virtual int public_port() const = 0;  ///< of its SSH; changes with move_port()
  [[nodiscard]] virtual bool alive() const = 0;       ///< its first process lives
  [[nodiscard]] virtual std::string log() const = 0;  ///< what the start command or the console said, the last 64 KiB
  virtual Status stop() = 0;                          ///< kills everything of it; a second call is fine
  virtual Status restart() = 0;                       ///< the same host again: a pod's start command runs anew
  virtual Result<int> move_port() = 0;                ///< another public port, the old one is closed
};

/// One way to make hosts.
class HostMaker {
 public:
  virtual ~HostMaker() = default;
  [[nodiscard]] virtual std::string text() const = 0;  ///< "runc containers on this machine's own programs"
  /// Who can log in at a host of it: "root", or the only user there is where hosts are plain processes; empty: whom its metadata name.
  [[nodiscard]] virtual std::string login() const { return "root"; }
  virtual Result<std::unique_ptr<EmulatedHost>> start(const HostOrder&) = 0;
  /// Ends what hosts of a process that died left in this folder.
  virtual Status clear(const std::string& folder) = 0;
};

/// The best maker for that kind of host that works here; `why_not` gets why the better ones do not.
std::unique_ptr<HostMaker> make_pod_maker(bool processes_only, std::string& why_not);
std::unique_ptr<HostMaker> make_machine_maker(bool processes_only, std::string& why_not);
/// Virtual machines under QEMU; their image is kept in `cache`, and built at the first time. Never anything else in their place.
Result<std::unique_ptr<HostMaker>> make_vm_maker(const std::string& cache);
/// What they lack here; empty: nothing.
std::string why_no_vms();

}  // namespace vt::emulator
