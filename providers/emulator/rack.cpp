#include "providers/emulator/rack.hpp"

#include "providers/bare_metal/bare_metal.hpp"
#include "providers/container/container.hpp"

namespace vt::emulator {

namespace {

/// The same layer as the container provider wants to see it: no options of its own.
Layer without_hosts(const Layer& layer) {
  Layer out = layer;
  out.hosts.clear(), out.options.clear();
  return out;
}

class Rack final : public Provider {
 public:
  explicit Rack(const ProviderContext& context) : real_(make_bare_metal(context)), pods_(make_container(context)) {}

  [[nodiscard]] Capabilities predict(const Layer& layer) const override { return real_->predict(layer); }
  [[nodiscard]] Quote quote(const Layer& layer) const override { return pods_->quote(without_hosts(layer)); }
  std::vector<Finding> preflight(const Layer& layer) override { return pods_->preflight(without_hosts(layer)); }
  [[nodiscard]] bool existing_hosts() const override { return false; }
  CreateOutcome create(const Layer& layer, const Resource& r) override { return pods_->create(without_hosts(layer), r); }
  Result<Allocation> wait_ready(const Layer& layer, const Resource& r, Deadline deadline) override {
    return pods_->wait_ready(without_hosts(layer), r, deadline);
  }
  Status destroy(const Resource& r) override { return pods_->destroy(r); }
  [[nodiscard]] Duration confirm_spacing() const override { return pods_->confirm_spacing(); }
  [[nodiscard]] Duration late_appearance() const override { return pods_->late_appearance(); }
  Result<Listing> list_owned(const std::string& install) override { return pods_->list_owned(install); }

 private:
  std::unique_ptr<Provider> real_, pods_;
};

}  // namespace

std::unique_ptr<Provider> make_rack(const ProviderContext& context) { return std::make_unique<Rack>(context); }

}  // namespace vt::emulator
