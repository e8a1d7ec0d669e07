#include "providers/emulator/gcp/catalogue.hpp"

#include <algorithm>

namespace vt::emulator::gcp {

namespace {

// A part of the world: enough zones to walk through, G4 and A3 not in all of them. us-central1, us-west1 and us-east1 cost the same.
const std::vector<Zone> kZones = {
    {"us-central1-a", "us-central1", 0},
    {"us-central1-b", "us-central1", 0},
    {"us-central1-c", "us-central1", 0},
    {"us-central1-f", "us-central1", 0},
    {"us-west1-a", "us-west1", 0},
    {"us-west1-b", "us-west1", 0},
    {"us-east1-b", "us-east1", 0},
    {"us-east1-c", "us-east1", 0},
    {"us-east4-a", "us-east4", 1},
    {"us-east4-c", "us-east4", 1},
    {"europe-west4-a", "europe-west4", 2},
    {"europe-west4-b", "europe-west4", 2},
    {"asia-southeast1-b", "asia-southeast1", 3},
};

// Micro-dollars per hour, on demand and spot, in us-central1, us-east4, europe-west4 and asia-southeast1, rounded up, as
// github.com/Cyclenerd/google-cloud-pricing-cost-calculator gave them on 2026-07-30 (pricing.yml at fd66b26); e2-standard-2 is half of
// e2-standard-4, the smaller ones and n2 are round figures.
const std::vector<MachineType> kMachines = {
    {"e2-micro", 2, 1, "", 0, {{8377, 8377}, {16754, 16754}, {16754, 16754}, {16754, 16754}}},
    {"e2-small", 2, 2, "", 0, {{16755, 16755}, {16755, 16755}, {16755, 16755}, {16755, 16755}}},
    {"e2-standard-2", 2, 8, "", 0, {{67012, 40212}, {75471, 41380}, {73773, 35264}, {82667, 43164}}},
    {"n2-standard-4", 4, 16, "", 0, {{194236, 194236}, {388472, 388472}, {388472, 388472}, {388472, 388472}}},
    {"e2-standard-4", 4, 16, "", 0, {{134023, 80424}, {150942, 82760}, {147545, 70528}, {165333, 86328}}},
    {"n1-standard-4", 4, 15, "", 0, {{189999, 67010}, {213985, 54755}, {209168, 121530}, {234386, 46945}}},
    {"g2-standard-4", 4, 16, "nvidia-l4", 1, {{706833, 397336}, {704518, 310596}, {742917, 389860}, {872019, 523272}}},
    {"g2-standard-8", 8, 32, "nvidia-l4", 1, {{853625, 479872}, {850830, 375092}, {897202, 470820}, {1053117, 631944}}},
    {"g2-standard-12", 12, 48, "nvidia-l4", 1, {{1000417, 562408}, {997141, 439588}, {1051488, 551780}, {1234214, 740616}}},
    {"g2-standard-16", 16, 64, "nvidia-l4", 1, {{1147209, 644944}, {1143452, 504084}, {1205774, 632740}, {1415311, 849288}}},
    {"g2-standard-24", 24, 96, "nvidia-l4", 2, {{2000833, 1124816}, {1994282, 879176}, {2102976, 1103560}, {2468428, 1481232}}},
    {"g2-standard-32", 32, 128, "nvidia-l4", 1, {{1734377, 975088}, {1728698, 762068}, {1822917, 956580}, {2139701, 1283976}}},
    {"g2-standard-48", 48, 192, "nvidia-l4", 4, {{4001666, 2249632}, {3988563, 1758352}, {4205951, 2207120}, {4936855, 2962464}}},
    {"g2-standard-96", 96, 384, "nvidia-l4", 8, {{8003331, 4499264}, {7977125, 3516704}, {8411901, 4414240}, {9873709, 5924928}}},
    {"g4-standard-6", 6, 22, "nvidia-rtx-pro-6000", 1, {{559557, 223804}, {559557, 223804}, {615512, 246209}, {671468, 268614}}},
    {"g4-standard-12", 12, 45, "nvidia-rtx-pro-6000", 1, {{1124983, 449955}, {1124983, 449955}, {1237481, 495000}, {1349979, 540045}}},
    {"g4-standard-24", 24, 90, "nvidia-rtx-pro-6000", 1, {{2249965, 899910}, {2249965, 899910}, {2474962, 990000}, {2699958, 1080090}}},
    {"g4-standard-48", 48, 180, "nvidia-rtx-pro-6000", 1, {{4499930, 1799820}, {4499930, 1799820}, {4949923, 1980000}, {5399916, 2160180}}},
    {"g4-standard-96",
     96,
     360,
     "nvidia-rtx-pro-6000",
     2,
     {{8999860, 3599640}, {8999860, 3599640}, {9899846, 3960000}, {10799832, 4320360}}},
    {"g4-standard-192",
     192,
     720,
     "nvidia-rtx-pro-6000",
     4,
     {{17999720, 7199280}, {17999720, 7199280}, {19799692, 7920000}, {21599664, 8640720}}},
    {"g4-standard-384",
     384,
     1440,
     "nvidia-rtx-pro-6000",
     8,
     {{35999440, 14398560}, {35999440, 14398560}, {39599384, 15840000}, {43199328, 17281440}}},
    {"a2-highgpu-1g", 12, 85, "nvidia-tesla-a100", 1, {{3673385, 1928020}, {3934355, 2360575}, {3747972, 1692835}, {4013758, 2408260}}},
    {"a2-highgpu-8g",
     96,
     680,
     "nvidia-tesla-a100",
     8,
     {{29387080, 15424160}, {31474840, 18884600}, {29983776, 13542680}, {32110064, 19266080}}},
    {"a2-ultragpu-1g", 12, 170, "nvidia-a100-80gb", 1, {{5068798, 2759547}, {5707733, 2367254}, {5580919, 2945207}, {6247686, 3248728}}},
    {"a2-ultragpu-8g",
     96,
     1360,
     "nvidia-a100-80gb",
     8,
     {{40550384, 22076371}, {45661860, 18938027}, {44647348, 23561654}, {49981484, 25989821}}},
    {"a3-highgpu-1g", 26, 234, "nvidia-h100-80gb", 1, {{11061250, 6326193}, {11069470, 4540105}, {14067560, 5514848}, {14284787, 6402334}}},
    {"a3-highgpu-8g",
     208,
     1872,
     "nvidia-h100-80gb",
     8,
     {{88490000, 50609541}, {88555757, 36320837}, {112540480, 44118780}, {114278293, 51218665}}},
};

// Micro-dollars per gigabyte and month in us-central1; elsewhere twice that. Round figures.
const std::vector<DiskType> kDisks = {
    {"pd-standard", 40'000},
    {"pd-balanced", 100'000},
    {"pd-ssd", 170'000},
    {"hyperdisk-balanced", 80'000},
};

// Of each public image that is served: project, family, name, disk size in GB.
const std::vector<PublicImage> kImages = {
    {"debian-cloud", "debian-12", "debian-12-bookworm-v20261015", 10},
    {"ubuntu-os-cloud", "ubuntu-2404-lts-amd64", "ubuntu-2404-noble-amd64-v20261020", 10},
    {"ubuntu-os-cloud", "ubuntu-2204-lts", "ubuntu-2204-jammy-v20261020", 10},
    {"ubuntu-os-accelerator-images", "ubuntu-accelerator-2404-amd64-with-nvidia-580",
     "ubuntu-accelerator-2404-amd64-with-nvidia-580-v20261001", 10},
    {"ubuntu-os-accelerator-images", "ubuntu-pro-accel-2604-amd64-nvidia-595", "ubuntu-pro-accel-2604-amd64-nvidia-595-v20261001", 10},
    {"deeplearning-platform-release", "common-cu129-ubuntu-2404-nvidia-580", "common-cu129-ubuntu-2404-nvidia-580-v20260929", 50},
    {"deeplearning-platform-release", "common-cu129-ubuntu-2204-nvidia-580", "common-cu129-ubuntu-2204-nvidia-580-v20260929", 50},
};

constexpr int kHoursPerMonth = 730;
constexpr Money kAddress{5000}, kSpotAddress{2500};  ///< a public IPv4 address in use, per hour

template <class T>
const T* by_name(const std::vector<T>& table, const std::string& name) {
  auto found = std::find_if(table.begin(), table.end(), [&](const T& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Zone>& zones() { return kZones; }
const std::vector<MachineType>& machine_types() { return kMachines; }
const std::vector<DiskType>& disk_types() { return kDisks; }
const std::vector<PublicImage>& public_images() { return kImages; }
const Zone* find_zone(const std::string& name) { return by_name(kZones, name); }
const MachineType* find_machine(const std::string& name) { return by_name(kMachines, name); }
const DiskType* find_disk(const std::string& name) { return by_name(kDisks, name); }

bool is_public_project(const std::string& project) {
  return std::any_of(kImages.begin(), kImages.end(), [&](const PublicImage& i) { return i.project == project; });
}

bool offered(const MachineType& machine, const Zone& zone) {
  if (machine.name.starts_with("g4-")) return zone.name != "us-central1-c" && zone.region != "us-east4";
  if (machine.name.starts_with("a3-")) return zone.name.ends_with("-a") || zone.name.ends_with("-c");
  return true;
}

Money price(const MachineType& machine, const Zone& zone, bool spot, bool address) {
  auto& at = machine.prices[static_cast<std::size_t>(zone.prices)];
  Money hourly{spot ? at.spot : at.on_demand};
  if (address) hourly += spot ? kSpotAddress : kAddress;
  return hourly;
}

Money price(const DiskType& disk, const Zone& zone, std::int64_t gigabytes) {
  std::int64_t monthly = disk.monthly * gigabytes * (zone.region == "us-central1" ? 1 : 2);
  return Money{(monthly + kHoursPerMonth - 1) / kHoursPerMonth};
}

}  // namespace vt::emulator::gcp
