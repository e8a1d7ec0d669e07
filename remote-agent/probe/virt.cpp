#include <array>
#include <utility>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

/// Images keep the marker files of the container they were made in, also when they are booted as a machine of their own.
/// These inodes are fixed in the kernel.
bool no_namespace_of_its_own(const Host& host) {
  auto is = [&](const std::string& kind, const char* inode) {
    return host.files.link("/proc/self/ns/" + kind).text == kind + ":[" + inode + "]";
  };
  return is("pid", "4026531836") && is("uts", "4026531838") && is("ipc", "4026531839");
}

/// Container managers that say so, most specific first; /.dockerenv late, since Podman makes one too.
Answer announced_container(const Host& host) {
  for (const std::string path : {"/run/host/container-manager", "/run/systemd/container"})
    if (auto said = host.files.read(path); !said.error && !said.text.empty()) return text(said.text, path + " says " + said.text);
  auto environ = host.files.read("/proc/1/environ");
  for (auto& variable : split(environ.text, '\0'))
    if (variable.starts_with("container=") && variable.size() > 10) return text(variable.substr(10), "pid 1 has " + variable);
  if (no_namespace_of_its_own(host)) return unknown("every namespace is the initial one");
  if (host.files.exists("/run/.containerenv")) return text("podman", "/run/.containerenv exists");
  if (host.files.exists("/.dockerenv")) return text("docker", "/.dockerenv exists");
  if (host.files.exists("/run/secrets/kubernetes.io")) return text("kubernetes", "/run/secrets/kubernetes.io exists");
  return unknown("no container manager says anything");
}

Answer cgroup_container(const Host& host) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> kSigns = {
      {{"kubepods", "kubernetes"}, {"libpod", "podman"}, {"docker", "docker"}, {"/lxc", "lxc"}, {"containerd", "oci"}}};
  auto paths = host.files.read("/proc/1/cgroup").text;
  for (auto& line : lines(paths)) {
    auto path = line.substr(line.find_last_of(':') + 1);
    for (auto& [sign, name] : kSigns)
      if (path.find(sign) != std::string::npos && path.find(".service") == std::string::npos)
        return text(name, "pid 1 is in cgroup " + path);
  }
  return unknown("no container in /proc/1/cgroup");
}

bool root_is_overlay(const Host& host) {
  for (auto& line : lines(host.files.read("/proc/self/mountinfo").text)) {
    auto fields = words(line);
    auto dash = line.find(" - ");
    if (fields.size() > 4 && fields[4] == "/" && dash != std::string::npos)
      return starts_with_any(std::string_view(line).substr(dash + 3), {"overlay", "fuse.fuse-overlayfs", "fuse-overlayfs"});
  }
  return false;
}

struct Vendor {
  std::string_view prefix;
  const char* name;
};

/// Of the DMI texts, the same prefixes systemd-detect-virt knows.
constexpr std::array<Vendor, 17> kVendors = {{{"KVM", "kvm"},
                                              {"OpenStack", "kvm"},
                                              {"KubeVirt", "kvm"},
                                              {"Amazon EC2", "amazon"},
                                              {"QEMU", "qemu"},
                                              {"VMware", "vmware"},
                                              {"VMW", "vmware"},
                                              {"innotek GmbH", "oracle"},
                                              {"VirtualBox", "oracle"},
                                              {"Oracle Corporation", "oracle"},
                                              {"Xen", "xen"},
                                              {"Bochs", "bochs"},
                                              {"Parallels", "parallels"},
                                              {"BHYVE", "bhyve"},
                                              {"Hyper-V", "microsoft"},
                                              {"Apple Virtualization", "apple"},
                                              {"Google", "google"}}};

constexpr std::array<Vendor, 8> kSignatures = {{{"KVMKVMKVM", "kvm"},
                                                {"Linux KVM Hv", "kvm"},
                                                {"TCGTCGTCGTCG", "qemu"},
                                                {"VMwareVMware", "vmware"},
                                                {"Microsoft Hv", "microsoft"},
                                                {"XenVMMXenVMM", "xen"},
                                                {"bhyve bhyve", "bhyve"},
                                                {" lrpepyh vr", "parallels"}}};

Answer firmware_vendor(const Host& host) {
  for (const std::string name : {"product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"}) {
    auto said = host.files.read("/sys/class/dmi/id/" + name);
    for (auto& vendor : kVendors)
      if (!said.error && said.text.starts_with(vendor.prefix)) return text(vendor.name, "DMI " + name + " is " + said.text);
  }
  return unknown("the firmware names no hypervisor");
}

/// Clouds put their name into the firmware of bare metal too; there the processor has the last word.
bool also_bare_metal(const Answer& vendor) {
  return vendor.value == "\"amazon\"" || vendor.value == "\"google\"" || vendor.value == "\"oracle\"";
}

Answer x86_vm(const Host& host, const std::string& cpuinfo, const Answer& vendor) {
  auto signature = host.system.hypervisor();
  auto flags = " " + after(cpuinfo, "flags").value_or("") + " ";
  bool virtual_cpu = !signature.empty() || flags.find(" hypervisor ") != std::string::npos;
  if (!virtual_cpu && vendor.known() && !also_bare_metal(vendor)) return vendor;
  if (!virtual_cpu) return text("", "the processor reports no hypervisor");
  if (vendor.known()) return vendor;
  for (auto& known : kSignatures)
    if (signature.starts_with(known.prefix)) return text(known.name, "CPUID signature " + signature);
  return text("other", signature.empty() ? "the processor has the hypervisor flag" : "CPUID signature " + signature);
}

Answer other_vm(const Host& host, const Answer& vendor) {
  auto tree = host.files.read("/proc/device-tree/hypervisor/compatible");
  if (!tree.error) return text(tree.text.find("xen") != std::string::npos ? "xen" : "kvm", "the device tree names a hypervisor");
  auto product = host.files.read("/sys/class/dmi/id/product_name");
  if (!product.error && product.text.find(".metal") != std::string::npos) return text("", "DMI product_name is " + product.text);
  if (vendor.known()) return vendor;
  if (!product.error) return text("", "DMI product_name is " + product.text);
  return unknown("neither DMI nor a device tree to look at");
}

}  // namespace

Answer virt_container(const Host& host) {
  if (auto said = announced_container(host); said.known()) return said;
  if (auto said = cgroup_container(host); said.known()) return said;
  auto pids = initial_pid_namespace(host), users = caps_initial(host);
  if (pids.is_false() || users.is_false())
    return text(root_is_overlay(host) ? "oci" : "namespace", pids.is_false() ? pids.evidence : users.evidence);
  if (!pids.known()) return pids;
  if (!users.known()) return users;
  return text("", "initial pid and user namespaces, no sign of a container");
}

Answer virt_vm(const Host& host) {
  auto cpuinfo = host.files.read("/proc/cpuinfo");
  if (cpuinfo.error) return unreadable("/proc/cpuinfo", cpuinfo.error);
  auto vendor = firmware_vendor(host);
  bool x86 = after(cpuinfo.text, "flags").has_value();
  return x86 ? x86_vm(host, cpuinfo.text, vendor) : other_vm(host, vendor);
}

Answer host_bare_metal(const Host& host) {
  auto container = virt_container(host), vm = virt_vm(host);
  const std::string none = "\"\"";
  for (auto& seen : {container, vm})
    if (seen.known() && seen.value != none) return no(seen.evidence);
  for (auto& seen : {container, vm})
    if (!seen.known()) return seen;
  return yes(container.evidence + "; " + vm.evidence);
}

}  // namespace vt::probe
