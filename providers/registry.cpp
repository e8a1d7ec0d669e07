#include "providers/registry.hpp"

#include "providers/bare_metal/bare_metal.hpp"
#include "providers/container/container.hpp"
#include "providers/gcp/gcp.hpp"
#include "providers/kubernetes/kubernetes.hpp"
#include "providers/local/local.hpp"
#include "providers/qemu/qemu.hpp"
#include "providers/runpod/runpod.hpp"
#include "providers/slurm/slurm.hpp"

namespace vt {

const std::vector<ProviderEntry>& provider_registry() {
  static const std::vector<ProviderEntry> entries{
      {"local", "this machine, without SSH", {}, make_local},
      {"bare-metal", "existing hosts over SSH", {}, make_bare_metal},
      {"container", "a pod-like host on this machine, made in a second", {"backend"}, make_container},
      {"gcp",
       "Google Compute Engine virtual machines",
       {"project!", "machine!", "zones!", "market", "image", "disk", "disk-type", "network", "subnetwork", "accelerator", "public-address",
        "user", "count", "build.packer", "build.only", "build.vars.*", "build.rebuild", "build.keep", "test-on"},
       make_gcp},
      {"runpod",
       "RunPod pods, rented by the second",
       {"gpu!", "gpus", "cloud", "data-centers", "image", "disk", "min-cuda", "count", "accept-weak-lease", "ansible.playbook",
        "ansible.roles", "ansible.idempotent"},
       make_runpod},
      {"qemu", "a virtual machine on this machine", {"image!", "memory", "cpus", "disk"}, make_qemu, false},
      {"kubernetes", "a job in a Kubernetes cluster", {"context", "namespace", "image!", "gpus", "nodes"}, make_kubernetes, false},
      {"slurm", "a job in a Slurm cluster", {"partition", "account", "gpus", "nodes"}, make_slurm, false},
  };
  return entries;
}

const ProviderEntry* find_provider(const std::string& name) {
  for (auto& entry : provider_registry())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace vt
