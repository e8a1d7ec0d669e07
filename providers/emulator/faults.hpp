#pragma once
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt::emulator {

enum class Api { none, gcp, runpod };
/// What a request is about. none: never faulted (control and metadata routes). change: any other mutation.
enum class CallKind { none, create, get, list, remove, operation, token, change };

enum class FaultKind {
  lost_before,
  lost_after,
  error_after,
  reset,
  late,
  conflict,
  rate,
  stockout,
  quota,
  preempt,
  stuck,
  vanish,
  undead,
  partial,
  skew,
  expired,
  truncated,
  slow,
  unavailable,
  unreachable,
  no_gpu,
  old_driver,
  wrong_port,
  tls
};

/// What each fault does, in one place: also the text of `vault-emulator --help`.
struct FaultInfo {
  FaultKind kind;
  const char* name;   ///< in fault plans
  const char* calls;  ///< where random plans use it: "create delete …"
  bool wire;          ///< done by the server for every route; the others by the handlers, through Call::faults
  int seconds;        ///< emulated, unless the plan says another; 0: it has no length
  const char* text;
};
const std::vector<FaultInfo>& fault_infos();
const FaultInfo& info(FaultKind);

/// One line of a plan: {"api":"gcp","call":"create","nth":1,"kind":"lost-after"}, or "probability":0.2 instead of nth (1 = the first
/// such call); "api" and "call" may be "any"; "seconds" is optional.
struct Fault {
  FaultKind kind = FaultKind::lost_before;
  Api api = Api::none;             ///< none: any
  CallKind call = CallKind::none;  ///< none: any
  int nth = 0;                     ///< 0: by probability
  double probability = 0;
  Duration length{0};  ///< emulated
  int seen = 0;        ///< calls that it was held against
};

/// The faults that a call meets.
class FaultSet {
 public:
  void add(const Fault& fault) { met_.push_back(fault); }
  [[nodiscard]] bool has(FaultKind kind) const { return find(kind) != nullptr; }
  [[nodiscard]] Duration length(FaultKind kind) const { return find(kind) ? find(kind)->length : Duration{0}; }
  [[nodiscard]] std::string text() const;  ///< names, blank-separated

 private:
  [[nodiscard]] const Fault* find(FaultKind) const;
  std::vector<Fault> met_;
};

/// A fault plan: {"seed":7,"faults":[…]}. The same plan and the same order of calls give the same faults. Thread-safe.
class Faults {
 public:
  /// "": none; "random": 1 to 4 faults drawn from the seed; else JSON as above, or just the array.
  static Result<Faults> make(const std::string& text, std::uint64_t seed);
  Faults(Faults&& other) noexcept : seed_(other.seed_), plan_(std::move(other.plan_)), random_(other.random_) {}

  /// Counts this call. `reused`: it came on a connection that had carried another one; `reset` waits for such.
  FaultSet meet(Api, CallKind, bool reused);
  /// Another plan from now on, counted from its beginning.
  Status replace(const std::string& text);
  [[nodiscard]] std::string json() const;  ///< the plan, one line

 private:
  Faults(std::uint64_t seed, std::vector<Fault> plan) : seed_(seed), plan_(std::move(plan)), random_(seed) {}

  std::uint64_t seed_;
  mutable std::mutex mutex_;
  std::vector<Fault> plan_;
  std::mt19937_64 random_;
};

std::string_view name(Api);
std::string_view name(CallKind);

}  // namespace vt::emulator
