#include "providers/local/local.hpp"

#include "providers/existing_hosts.hpp"

namespace vt {

namespace {

/// This machine, as whoever runs vault-test. Nothing is predicted: asking it costs nothing.
class Local final : public ExistingHosts {
 public:
  [[nodiscard]] Capabilities predict(const Layer&) const override { return {}; }
  std::vector<Finding> preflight(const Layer&) override { return {}; }
  Result<Allocation> wait_ready(const Layer&, const Resource&, Deadline) override {
    Allocation allocation;
    allocation.hosts.push_back({"local", 0, {}});
    return allocation;
  }
};

}  // namespace

std::unique_ptr<Provider> make_local(const ProviderContext&) { return std::make_unique<Local>(); }

}  // namespace vt
