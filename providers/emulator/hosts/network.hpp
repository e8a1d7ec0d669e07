#pragma once
#include <string>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// The network a host lives in: a namespace of its own in which only the loopback device is up, so that every host has its own
/// port 22, or (without root) the one of this process.
class Network {
 public:
  Network() = default;  ///< this process's own
  /// A new one, with those further addresses on its loopback device. Needs root.
  static Result<Network> make(const std::string& further_address = "");
  [[nodiscard]] bool own() const { return static_cast<bool>(inside_); }

  /// While one lives the calling thread is in that network: sockets and children made by it belong there for good.
  class Visit {
   public:
    explicit Visit(const Network&);
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit();

   private:
    const Network& network_;
  };

  /// Sockets that do not block. A listener on port 0 gets a free one; connect() may still be under way.
  [[nodiscard]] Result<Fd> listen(const std::string& address, int port) const;
  [[nodiscard]] Result<Fd> connect(const std::string& address, int port) const;

 private:
  Fd outside_, inside_;  ///< handles of the two namespaces
};

/// The port a listener has.
int port_of(const Fd& listener);
/// A port of 127.0.0.1 that is free now: whoever wants it must be quick.
Result<int> free_port();

}  // namespace vt::emulator
