#pragma once
#include <poll.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "orchestrator/host/fd.hpp"
#include "providers/emulator/hosts/network.hpp"

namespace vt::emulator {

/// Carries TCP connections from one network into another. Whoever connects where nobody answers on the far side is reset.
class Relay {
 public:
  struct Route {
    Fd listener;         ///< made in the near network
    const Network* far;  ///< outlives the relay
    std::string address;
    int port;
  };
  /// `tick` is called on the relay's thread at least once a second.
  Relay(std::vector<Route>, std::function<void()> tick);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();
  /// From now on that route is entered through another listener; what is connected stays.
  void replace_listener(std::size_t route, Fd listener);

 private:
  /// One direction: what was read and not yet written.
  struct Half {
    std::string waiting;
    bool ended = false;     ///< nothing more will be read
    bool told_end = false;  ///< the other side knows
  };
  struct Link {
    Fd near, far;
    Half inward, outward;
    bool broken = false;
  };
  void serve();
  std::vector<pollfd> watched();        ///< the wake-up call, the listeners, two for each link
  void move_links(const pollfd* seen);  ///< the links' part of them, after poll()
  void accept_all(const pollfd* seen);  ///< the listeners' part
  void accept_on(const Route&);
  static void move(const Fd& from, const Fd& to, short from_events, Half&, bool& broken);
  static short wants(const Half& reading, const Half& writing);

  std::mutex mutex_;  ///< of the routes' listeners
  std::vector<Route> routes_;
  std::list<Link> links_;
  std::function<void()> tick_;
  Fd wake_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace vt::emulator
