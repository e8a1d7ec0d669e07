// pod_tool STATE_DIR BACKEND create|destroy|preflight NAME: one verb of the container provider in a process that a test can
// kill or run as somebody else. Prints what went wrong; 0 if nothing did.
#include <iostream>

#include "providers/registry.hpp"

using namespace vt;

namespace {

int create(Provider& provider, const Layer& layer, const Resource& resource) {
  auto outcome = provider.create(layer, resource);
  if (auto refused = std::get_if<Refused>(&outcome)) std::cout << refused->what << "\n";
  if (auto unclear = std::get_if<Ambiguous>(&outcome)) std::cout << unclear->what << "\n";
  return std::holds_alternative<Created>(outcome) ? 0 : 1;
}

int destroy(Provider& provider, const Resource& resource) {
  auto status = provider.destroy(resource);
  if (!status) std::cout << status.error().what << "\n";
  return status ? 0 : 1;
}

int preflight(Provider& provider, const Layer& layer) {
  auto findings = provider.preflight(layer);
  for (auto& finding : findings) std::cout << finding.what << "\n" << finding.remedy << "\n";
  return findings.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  SystemClock clock;
  auto provider = find_provider("container")->make({argv[1], &clock});
  Layer layer;
  if (std::string backend = argv[2]; !backend.empty()) layer.options["backend"] = {backend};
  Resource resource;
  std::string verb = argv[3], name = argv[4];
  resource.owner.name = name;
  resource.owner.install = name.substr(3, name.rfind('-') - 3);
  resource.owner.attempt = name.substr(name.rfind('-') + 1);
  resource.owner.expires = clock.wall() + 120'000;
  if (verb == "create") return create(*provider, layer, resource);
  if (verb == "destroy") return destroy(*provider, resource);
  return preflight(*provider, layer);
}
