#include "providers/gcp/gcp.hpp"

#include <map>

#include "orchestrator/model/text.hpp"
#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/prediction_only.hpp"

namespace vt {

namespace {

/// GPUs that come with a machine type, per Compute Engine's list of GPU machine types. G4 has a table (its smaller
/// types carry a fraction of a GPU and are left out); the A families say it at the end of the name: a3-highgpu-8g.
std::optional<int> gpus_of(const std::string& machine) {
  static const std::map<std::string, int> g4{{"g4-standard-48", 1}, {"g4-standard-96", 2}, {"g4-standard-192", 4}, {"g4-standard-384", 8}};
  if (auto it = g4.find(machine); it != g4.end()) return it->second;
  if (!glob_match("a?-*-*g", machine)) return std::nullopt;
  auto count = read_as(ValueType::integer, machine.substr(machine.rfind('-') + 1, machine.size() - machine.rfind('-') - 2));
  auto number = count.as<std::int64_t>();
  return number && *number > 0 && *number <= 16 ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

class Gcp final : public PredictionOnly {
 public:
  Gcp() : PredictionOnly("gcp") {}
  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    auto p = predict_machine("google", "a Compute Engine virtual machine");
    p.add("image.build", true, "disks become images on Compute Engine");
    auto machine = option(layer, "machine");
    if (auto gpus = gpus_of(machine)) {
      p.add("gpu", *gpus, machine + " has " + std::to_string(*gpus));
      if (*gpus == 1) p.add("gpu.p2p", false, machine + " has one GPU");
    }
    return p.take();
  }
};

}  // namespace

std::unique_ptr<Provider> make_gcp(const ProviderContext&) { return std::make_unique<Gcp>(); }

}  // namespace vt
