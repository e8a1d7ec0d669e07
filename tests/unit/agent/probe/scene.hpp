#pragma once
#include <functional>
#include <string>
#include <vector>

#include "remote-agent/probe/host.hpp"
#include "remote-agent/probe/probes.hpp"

namespace vt::probe {

/// A folder that goes away with it.
class TempTree {
 public:
  TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree();
  [[nodiscard]] const std::string& root() const { return root_; }
  /// Every path below it with type, size and contents: equal before and after = nothing was changed.
  [[nodiscard]] std::vector<std::string> listing() const;

 private:
  std::string root_;
};

/// A made-up host: files below a temporary root and a System that answers what it is told to.
/// It starts as root of a plain machine with /proc, /sys and /dev present but empty of everything special.
class Scene {
 public:
  Scene();
  Scene& file(const std::string& path, const std::string& text);
  Scene& program(const std::string& path);
  Scene& folder(const std::string& path);
  Scene& link(const std::string& path, const std::string& target);
  Scene& remove(const std::string& path);
  /// Reading, listing and looking at it fail, with something other than "not there". Also for root, unlike permissions.
  Scene& deny(const std::string& path);
  Scene& status(const std::string& more);  ///< /proc/self/status: replaces lines of the same label
  Scene& login(unsigned uid);              ///< not root: no effective capability
  Scene& user_namespace();
  Scene& pid_namespace();
  Scene& gpu(const std::string& address, const std::string& kind = "0x030200", const std::string& vendor = "0x10de");
  Scene& process(int pid, const std::string& comm, unsigned uid, int session, int terminal, const std::string& loginuid = "4294967295");

  [[nodiscard]] Host host() const;
  [[nodiscard]] const TempTree& tree() const { return tree_; }
  System system;
  Options options;

 private:
  TempTree tree_;
};

/// One row of the probes' tests.
struct Case {
  std::string name;  ///< letters and digits
  Answer (*probe)(const Host&);
  std::function<void(Scene&)> prepare;
  std::string value;     ///< JSON text, "" = unknown
  std::string evidence;  ///< part of it
};

std::vector<Case> caps_cases();
std::vector<Case> virt_cases();
std::vector<Case> kernel_cases();
std::vector<Case> containers_cases();
std::vector<Case> gpu_cases();
std::vector<Case> driver_cases();
std::vector<Case> library_cases();
std::vector<Case> hardware_cases();
std::vector<Case> net_os_cases();
std::vector<Case> limits_cases();
std::vector<Case> people_cases();
std::vector<Case> all_cases();

}  // namespace vt::probe
