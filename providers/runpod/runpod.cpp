#include "providers/runpod/runpod.hpp"

#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/prediction_only.hpp"

namespace vt {

namespace {

class RunPod final : public PredictionOnly {
 public:
  RunPod() : PredictionOnly("runpod") {}
  [[nodiscard]] std::vector<std::string> needs_environment() const override { return {"RUNPOD_API_KEY"}; }
  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    auto p = predict_pod();
    p.add("host.root", true, "pods are entered as root", FactScope::login);
    p.add("dmesg.read", false, "pods lack CAP_SYSLOG", FactScope::login);
    p.add("virt.container", "docker", "pods are Docker containers");
    auto gpu = option(layer, "gpu");
    auto gpus = count_option(layer, "gpus").value_or(1);
    p.add("gpu", gpus, std::to_string(gpus) + " x " + gpu);
    if (gpus == 1) p.add("gpu.p2p", false, "the pod has one GPU");
    // The stock driver reports peer access between GeForce RTX 5090 as not supported.
    else if (gpu.ends_with("RTX 5090")) p.add("gpu.p2p", false, "the stock driver has no peer access between RTX 5090");
    return p.take();
  }
};

}  // namespace

std::unique_ptr<Provider> make_runpod(const ProviderContext&) { return std::make_unique<RunPod>(); }

}  // namespace vt
