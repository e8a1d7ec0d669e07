#include "providers/slurm/slurm.hpp"

#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/prediction_only.hpp"

namespace vt {

namespace {

class Slurm final : public PredictionOnly {
 public:
  Slurm() : PredictionOnly("slurm") {}
  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    Prediction p;
    p.add("host.reboot", false, "a job may not reboot its node", FactScope::login)
        .add("kernel.modules", false, "a job runs without root", FactScope::login)
        .add("image.build", false, "a job cannot boot a machine image");
    if (auto gpus = count_option(layer, "gpus")) p.add("gpu.logical", *gpus, "the layer asks for " + std::to_string(*gpus));
    return p.take();
  }
};

}  // namespace

std::unique_ptr<Provider> make_slurm(const ProviderContext&) { return std::make_unique<Slurm>(); }

}  // namespace vt
