#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "orchestrator/model/result.hpp"
#include "providers/emulator/emulator.hpp"
#include "providers/emulator/hosts/host.hpp"

namespace vt::emulator {

/// The hosts behind instances and pods. Starting and stopping one takes a moment, so it happens in the background, in order for each
/// host; nothing here needs or takes a lock of the APIs. With HostKind::none every start succeeds and nobody answers.
class Hosting {
 public:
  static Result<std::unique_ptr<Hosting>> make(HostKind, const std::string& folder, std::string& text);
  ~Hosting();  ///< ends all of them

  /// `done` is called from a thread of ours, or not at all if the host was stopped before. `order.folder` is filled in here.
  void start(HostOrder, std::function<void(Status)> done);
  void pause(const std::string& id);  ///< switches it off; restart() brings it back
  void restart(const std::string& id, std::function<void(Status)> done);
  void stop(const std::string& id);       ///< for good; unknown ids are fine
  void move_port(const std::string& id);  ///< public_port() is another one soon after
  /// 0, false, "": unknown, or not started yet. With HostKind::none a made-up port, true, "".
  [[nodiscard]] int public_port(const std::string& id) const;
  [[nodiscard]] bool alive(const std::string& id) const;
  [[nodiscard]] std::string log(const std::string& id) const;
  [[nodiscard]] std::string login() const;          ///< who can log in at a pod
  [[nodiscard]] std::string machine_login() const;  ///< the only user of an instance; empty: whom its metadata name

 private:
  struct Impl;
  explicit Hosting(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt::emulator
