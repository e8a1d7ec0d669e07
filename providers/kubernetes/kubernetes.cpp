#include "providers/kubernetes/kubernetes.hpp"

#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/prediction_only.hpp"

namespace vt {

namespace {

class Kubernetes final : public PredictionOnly {
 public:
  Kubernetes() : PredictionOnly("kubernetes") {}
  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    auto p = predict_pod();
    if (auto gpus = count_option(layer, "gpus")) p.add("gpu.logical", *gpus, "the layer asks for " + std::to_string(*gpus));
    return p.take();
  }
};

}  // namespace

std::unique_ptr<Provider> make_kubernetes(const ProviderContext&) { return std::make_unique<Kubernetes>(); }

}  // namespace vt
