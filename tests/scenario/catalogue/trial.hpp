#pragma once
#include <memory>
#include <optional>
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/store/store.hpp"
#include "tests/scenario/catalogue/cases.hpp"

namespace vt::test {

/// A store of its own below /tmp, with one run and one layer.
class TrialStore {
 public:
  static Result<TrialStore> open();
  ~TrialStore();
  TrialStore(TrialStore&&) noexcept;
  TrialStore(const TrialStore&) = delete;

  /// Stores the result and reads the judgement back.
  Result<Judgement> keep(const Observation*, const Judgement&);

 private:
  TrialStore() = default;
  std::string folder_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Store> store_;
};

/// A check tried on a case's host: what was seen, if it ran, and the verdict as it was read back from the store.
struct Tried {
  std::optional<Observation> seen;
  Judgement stored;
};
Result<Tried> try_check(const Check&, const Case&, int number, TrialStore&);

}  // namespace vt::test
