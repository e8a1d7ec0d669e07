#pragma once
#include "providers/provider.hpp"

namespace vt {

/// A provider whose hosts are there already: nothing to create, price or give back.
class ExistingHosts : public Provider {
 public:
  [[nodiscard]] Quote quote(const Layer&) const override { return {}; }
  [[nodiscard]] bool existing_hosts() const override { return true; }
  CreateOutcome create(const Layer&, const Resource&) override { return Refused{Finding::Kind::unsupported, "its hosts exist already"}; }
  Status destroy(const Resource&) override { return {}; }
  [[nodiscard]] Duration confirm_spacing() const override { return Duration{0}; }
  [[nodiscard]] Duration late_appearance() const override { return Duration{0}; }
  Result<Listing> list_owned(const std::string&) override { return Listing{{}, true}; }
};

}  // namespace vt
