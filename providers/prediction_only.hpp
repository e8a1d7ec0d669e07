#pragma once
#include <string>

#include "providers/provider.hpp"

namespace vt {

/// A provider that plans may name and `vault-test plan` predicts, but that this version cannot run.
class PredictionOnly : public Provider {
 public:
  explicit PredictionOnly(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] Quote quote(const Layer&) const override;
  std::vector<Finding> preflight(const Layer&) override;
  [[nodiscard]] bool existing_hosts() const override { return false; }
  CreateOutcome create(const Layer&, const Resource&) override;
  Result<Allocation> wait_ready(const Layer&, const Resource&, Deadline) override;
  Status destroy(const Resource&) override;
  Result<Listing> list_owned(const std::string& install) override;

 private:
  [[nodiscard]] std::string sentence() const { return name_ + " cannot run yet in this version"; }
  std::string name_;
};

}  // namespace vt
