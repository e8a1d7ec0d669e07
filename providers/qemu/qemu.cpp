#include "providers/qemu/qemu.hpp"

#include "providers/predict.hpp"
#include "providers/prediction_only.hpp"

namespace vt {

namespace {

class Qemu final : public PredictionOnly {
 public:
  Qemu() : PredictionOnly("qemu") {}
  [[nodiscard]] Capabilities predict(const Layer&) const override {
    auto p = predict_machine("qemu", "a QEMU virtual machine");
    p.add("gpu", 0, "no GPU is passed through to it");
    return p.take();
  }
};

}  // namespace

std::unique_ptr<Provider> make_qemu(const ProviderContext&) { return std::make_unique<Qemu>(); }

}  // namespace vt
