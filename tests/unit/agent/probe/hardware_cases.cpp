#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

std::function<void(Scene&)> groups(std::vector<std::string> types) {
  return [types](Scene& s) {
    for (std::size_t i = 0; i < types.size(); ++i) s.file("/sys/kernel/iommu_groups/" + std::to_string(i) + "/type", types[i] + "\n");
  };
}
std::function<void(Scene&)> secure(const std::string& bytes) {
  return [bytes](Scene& s) { s.file("/sys/firmware/efi/efivars/SecureBoot-8be4df61", bytes); };
}

}  // namespace

std::vector<Case> hardware_cases() {
  return {
      {"IommuOff", iommu, [](Scene&) {}, "\"off\"", "no IOMMU group"},
      {"IommuIdle", iommu, [](Scene& s) { s.folder("/sys/class/iommu/dmar0"); }, "\"off\"", "1 IOMMU, but no group uses one"},
      {"IommuTranslated", iommu, groups({"DMA-FQ", "identity"}), "\"translated\"", "1 of 2 IOMMU groups translated"},
      {"IommuPassthrough", iommu, groups({"identity", "identity"}), "\"passthrough\"", "0 of 2"},
      {"IommuTypeUnreadable", iommu, [](Scene& s) { s.deny("/sys/kernel/iommu_groups/0/type"); }, "", "/sys/kernel/iommu_groups/0/type: "},
      {"IommuUnreadable", iommu, [](Scene& s) { s.deny("/sys/kernel/iommu_groups"); }, "", "/sys/kernel/iommu_groups: "},

      {"NumaTwo", numa_nodes, [](Scene& s) { s.file("/sys/devices/system/node/online", "0-1\n"); }, "2", "is 0-1"},
      {"NumaNotInKernel", numa_nodes, [](Scene& s) { s.folder("/sys/devices/system/cpu"); }, "1", "one node"},
      {"NumaUnreadable", numa_nodes, [](Scene& s) { s.deny("/sys/devices/system/node/online"); }, "", "node/online: "},
      {"NumaOddText", numa_nodes, [](Scene& s) { s.file("/sys/devices/system/node/online", "x\n"); }, "", "says 'x'"},

      {"NvmeOneLocal", nvme,
       [](Scene& s) { s.file("/sys/class/nvme/nvme0/transport", "pcie\n").file("/sys/class/nvme/nvme1/transport", "tcp\n"); }, "1",
       "1 drive"},
      {"NvmeNone", nvme, [](Scene&) {}, "0", "no drive"},
      {"NvmeUnreadable", nvme, [](Scene& s) { s.deny("/sys/class/nvme"); }, "", "/sys/class/nvme: "},

      {"RdmaTwo", rdma, [](Scene& s) { s.folder("/sys/class/infiniband/mlx5_0").folder("/sys/class/infiniband/mlx5_1"); }, "2",
       "2 devices"},
      {"RdmaNone", rdma, [](Scene&) {}, "0", "no device"},
      {"RdmaUnreadable", rdma, [](Scene& s) { s.deny("/sys/class/infiniband"); }, "", "/sys/class/infiniband: "},

      {"SerialYes", host_serial, [](Scene& s) { s.file("/sys/class/dmi/id/product_serial", "ABC123\n"); }, "\"ABC123\"", "product_serial"},
      {"SerialOfTheChassis", host_serial,
       [](Scene& s) {
         s.file("/sys/class/dmi/id/product_serial", "To Be Filled By O.E.M.\n").file("/sys/class/dmi/id/chassis_serial", "CH7\n");
       },
       "\"CH7\"", "chassis_serial"},
      {"SerialNotFilledIn", host_serial, [](Scene& s) { s.file("/sys/class/dmi/id/product_serial", "Not Specified\n"); }, "\"\"",
       "holds no serial"},
      {"SerialNoDmi", host_serial, [](Scene&) {}, "\"\"", "no DMI tables"},
      {"SerialOnlyForRoot", host_serial, [](Scene& s) { s.deny("/sys/class/dmi/id/product_serial"); }, "",
       "/sys/class/dmi/id/product_serial: "},

      {"SecureBootOn", secureboot, secure(std::string("\x06\0\0\0\x01", 5)), "true", "is 1"},
      {"SecureBootOff", secureboot, secure(std::string("\x06\0\0\0\0", 5)), "false", "is 0"},
      {"SecureBootNoVariable", secureboot, [](Scene& s) { s.file("/sys/firmware/efi/efivars/Boot0000-8be4df61", "x"); }, "false",
       "no SecureBoot variable"},
      {"SecureBootBios", secureboot, [](Scene& s) { s.folder("/sys/firmware/acpi"); }, "false", "not booted by UEFI"},
      {"SecureBootMaskedInAContainer", secureboot, [](Scene& s) { s.folder("/sys/firmware"); }, "", "as containers see it"},
      {"SecureBootNotMounted", secureboot, [](Scene& s) { s.folder("/sys/firmware/efi/efivars"); }, "", "not mounted"},
      {"SecureBootUnreadable", secureboot, [](Scene& s) { s.deny("/sys/firmware/efi/efivars/SecureBoot-8be4df61"); }, "",
       "SecureBoot-8be4df61: "},
      {"SecureBootOddSize", secureboot, secure("xx"), "", "2 bytes"},
  };
}

}  // namespace vt::probe
