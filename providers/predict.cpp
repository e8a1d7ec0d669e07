#include "providers/predict.hpp"

namespace vt {

Prediction predict_pod() {
  Prediction p;
  p.add("host.bare_metal", false, "a pod is a container")
      .add("init.systemd", false, "process 1 of a pod is its own entry point")
      .add("image.build", false, "a pod cannot boot a machine image")
      .add("kernel.modules", false, "pods share the host's kernel and lack CAP_SYS_MODULE", FactScope::login)
      .add("host.reboot", false, "pods share the host's kernel and lack CAP_SYS_BOOT", FactScope::login)
      .add("sysctl.write", false, "/proc/sys is read-only in a pod", FactScope::login)
      .add("docker.daemon", false, "the host's container daemon is not reachable from a pod", FactScope::login);
  return p;
}

Prediction predict_machine(const std::string& hypervisor, const std::string& evidence) {
  Prediction p;
  p.add("host.bare_metal", false, evidence)
      .add("virt.vm", hypervisor, evidence)
      .add("virt.container", "", evidence)
      .add("kernel.modules", true, evidence + " with a kernel of its own", FactScope::login)
      .add("host.reboot", true, evidence + " with a kernel of its own", FactScope::login)
      .add("sysctl.write", true, evidence + " with a kernel of its own", FactScope::login);
  return p;
}

}  // namespace vt
