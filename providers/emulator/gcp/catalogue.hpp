#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/model/money.hpp"

namespace vt::emulator::gcp {

struct Zone {
  std::string name, region;
  int prices = 0;  ///< column of MachineType::prices
};

struct MachineType {
  std::string name;
  int cpus = 0, memory_gb = 0;
  std::string gpu;  ///< built in: accelerator type; empty: none
  int gpus = 0;
  struct Price {
    std::int64_t on_demand = 0, spot = 0;  ///< micro-dollars per hour
  };
  std::vector<Price> prices;  ///< by Zone::prices

  [[nodiscard]] bool hyperdisk_only() const { return name.starts_with("g4-"); }
  [[nodiscard]] bool takes_hyperdisk() const { return hyperdisk_only() || name.starts_with("a3-"); }
};

struct DiskType {
  std::string name;
  std::int64_t monthly = 0;  ///< micro-dollars per gigabyte
};

struct PublicImage {
  std::string project, family, name;
  int gigabytes = 0;
};

/// What the emulated Compute Engine offers, and its prices. Pointers are null if there is no such thing.
const std::vector<Zone>& zones();
const std::vector<MachineType>& machine_types();
const std::vector<DiskType>& disk_types();
const std::vector<PublicImage>& public_images();
const Zone* find_zone(const std::string& name);
const MachineType* find_machine(const std::string& name);
const DiskType* find_disk(const std::string& name);
bool is_public_project(const std::string& project);
bool offered(const MachineType&, const Zone&);
Money price(const MachineType&, const Zone&, bool spot, bool address);
Money price(const DiskType&, const Zone&, std::int64_t gigabytes);

}  // namespace vt::emulator::gcp
