#pragma once
#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace vt::test {

/// How fast the emulated clouds are; the programs under test are told the same.
inline constexpr const char* kPace = "0.01";

struct EmulatorOptions {
  std::string hosts = "none";  ///< what stands behind instances and pods: "auto", or nothing for tests of the API alone
  std::string faults;          ///< "": none; "random"; else a fault plan as JSON
  int seed = 0;
};

/// vault-emulator as a process of its own, which outlives every orchestrator that a test kills. It ends with this object, or
/// with this process.
class Emulated {
 public:
  Emulated() = default;
  ~Emulated() { stop(); }
  Emulated(const Emulated&) = delete;
  Emulated& operator=(const Emulated&) = delete;

  Status start(const std::string& folder, const EmulatorOptions&);
  void stop();
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] const std::string& faults() const { return faults_; }  ///< the fault plan, as it says itself

  /// Everything that ever existed, and every request that changed something: the only witnesses.
  [[nodiscard]] nlohmann::json things() const;
  [[nodiscard]] nlohmann::json requests() const;
  /// POST /emulator/`what`; null if it was refused.
  [[nodiscard]] nlohmann::json post(const std::string& what, const nlohmann::json& body) const;
  /// "preempt", "expire" or "vanish" for everything of ours that is alive; how many there were.
  int end_all(const std::string& how) const;

 private:
  [[nodiscard]] nlohmann::json get(const std::string& what) const;

  pid_t pid_ = -1;
  int stdin_ = -1;
  std::string address_, faults_;
};

}  // namespace vt::test
