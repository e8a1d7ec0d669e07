#include "providers/gcp/wish.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "orchestrator/model/text.hpp"
#include "providers/options.hpp"

namespace vt::gcp {

namespace {

constexpr const char* kGpuImage =
    "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-amd64-with-nvidia-580";
constexpr const char* kPlainImage = "projects/debian-cloud/global/images/family/debian-12";
constexpr int kGpuDiskGb = 100, kPlainDiskGb = 20;  ///< driver and CUDA need room

/// What goes into URLs and bodies: lower-case letters, digits and what `more` has; begins with a letter.
bool is_name(std::string_view text, std::string_view more = "-") {
  if (text.empty() || text.size() > 100 || text.front() < 'a' || text.front() > 'z') return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos; });
}

tl::unexpected<Error> wrong(const std::string& key, const std::string& value, const std::string& expected) {
  return fail(Errc::config, key + " \"" + value + "\" cannot be; expected " + expected);
}

std::vector<std::string> values(const Layer& layer, const std::string& key) {
  auto it = layer.options.find(key);
  return it == layer.options.end() ? std::vector<std::string>{} : it->second;
}

/// Whole gigabytes; Compute Engine's are of 2^30 bytes, so that GB and GiB are taken as the same.
Result<int> disk_of(const Layer& layer, bool gpu) {
  auto text = option(layer, "disk");
  if (text.empty()) return gpu ? kGpuDiskGb : kPlainDiskGb;
  int count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  auto unit = trim(std::string_view(text).substr(static_cast<std::size_t>(end - text.data())));
  if (error != std::errc{} || (unit != "GB" && unit != "GiB") || count < 10 || count > 65536)
    return wrong("disk", text, "10 GB to 65536 GB");
  return count;
}

Result<std::vector<Accelerator>> accelerators_of(const Layer& layer, const Machine& machine) {
  auto text = option(layer, "accelerator");
  if (text.empty()) return std::vector<Accelerator>{};
  if (machine.family != "n1") return wrong("accelerator", text, "none: only n1 machines take one, " + machine.family + " does not");
  auto colon = std::min(text.find(':'), text.size());
  Accelerator wanted{text.substr(0, colon), 1};
  auto count = text.substr(std::min(colon + 1, text.size()));
  static const std::set<std::string> counts{"1", "2", "4", "8"};
  if (colon < text.size() && !counts.contains(count)) return wrong("accelerator", text, "a count of 1, 2, 4 or 8 after the colon");
  if (!count.empty()) wanted.count = count.front() - '0';
  if (!is_name(wanted.type) || !wanted.type.starts_with("nvidia-")) return wrong("accelerator", text, "for example nvidia-tesla-t4:1");
  return std::vector<Accelerator>{wanted};
}

/// "FAMILY" and "global/images/…" are of the layer's own project.
Result<std::string> image_of(const Layer& layer, bool gpu) {
  auto text = option(layer, "image");
  if (text.empty()) return std::string(gpu ? kGpuImage : kPlainImage);
  auto parts = split(text, '/');
  for (auto& part : parts)
    if (!is_name(part, "-_.:")) return wrong("image", text, "letters, digits and - only");
  auto own = "projects/" + option(layer, "project") + "/";
  if (join(parts, "/") != text) return wrong("image", text, "no empty parts");
  if (parts.size() == 1) return own + "global/images/family/" + text;
  if (parts.size() == 2) return "projects/" + parts[0] + "/global/images/family/" + parts[1];
  if (glob_match("global/images/*", text)) return own + text;
  if (glob_match("projects/*/global/images/*", text)) return text;
  return wrong("image", text, "FAMILY, PROJECT/FAMILY or projects/PROJECT/global/images/NAME");
}

Status read_places(const Layer& layer, Wish& wish) {
  wish.zones = values(layer, "zones");
  wish.markets = values(layer, "market");
  if (wish.markets.empty()) wish.markets = {"on-demand"};
  for (auto& market : wish.markets)
    if (market != "spot" && market != "on-demand") return wrong("market", market, "spot or on-demand");
  for (auto& zone : wish.zones)
    if (!is_name(zone) || !glob_match("?*-?*-?*", zone)) return wrong("zones", zone, "a zone such as us-central1-b");
  for (auto list : {&wish.zones, &wish.markets})
    if (std::set<std::string>(list->begin(), list->end()).size() != list->size())
      return fail(Errc::config, "\"" + join(*list, ", ") + "\" names one twice; expected each once");
  return wish.zones.empty() ? Status(fail(Errc::config, "zones is empty; expected at least one zone")) : Status();
}

Status read_network(const Layer& layer, Wish& wish) {
  wish.network = option(layer, "network");
  wish.subnetwork = option(layer, "subnetwork");
  for (auto& name : {wish.network, wish.subnetwork})
    if (!name.empty() && !is_name(name)) return wrong("network", name, "the name of a network");
  if (wish.network.empty() && wish.subnetwork.empty()) wish.network = "default";
  auto address = option(layer, "public-address", "true");
  if (address != "true" && address != "false") return wrong("public-address", address, "true or false");
  wish.public_address = address == "true";
  return {};
}

Status read_disk(const Layer& layer, Wish& wish) {
  VT_TRY(wish.disk_gb, disk_of(layer, wish.machine.brings_gpu || !wish.accelerators.empty()));
  wish.disk_type = option(layer, "disk-type", wish.machine.disk_type);
  if (!is_name(wish.disk_type)) return wrong("disk-type", wish.disk_type, "for example " + wish.machine.disk_type);
  if (wish.machine.hyperdisk_only && !wish.disk_type.starts_with("hyperdisk-"))
    return wrong("disk-type", wish.disk_type, "hyperdisk-balanced: " + wish.machine.family + " machines take no Persistent Disk");
  return {};
}

}  // namespace

Result<Wish> wish_of(const Layer& layer) {
  Wish wish;
  auto machine = option(layer, "machine");
  if (!is_name(machine) || machine.find('-') == std::string::npos) return wrong("machine", machine, "a type such as g4-standard-48");
  wish.machine = machine_of(machine);
  VT_CHECK(read_places(layer, wish));
  VT_TRY(wish.accelerators, accelerators_of(layer, wish.machine));
  VT_TRY(wish.image, image_of(layer, wish.machine.brings_gpu || !wish.accelerators.empty()));
  VT_CHECK(read_disk(layer, wish));
  VT_CHECK(read_network(layer, wish));
  wish.user = option(layer, "user", "vault");
  if (!is_name(wish.user, "-_") || wish.user == "root" || wish.user.size() > 32)
    return wrong("user", wish.user, "a login name other than root");
  if (!option(layer, "count").empty() && !count_option(layer, "count"))
    return wrong("count", option(layer, "count"), "a number of at least 1");
  wish.count = count_option(layer, "count").value_or(1);
  return wish;
}

Result<std::string> project_of(const Layer& layer) {
  auto project = option(layer, "project");
  if (project.starts_with("${env.")) return fail(Errc::config, "project is " + project + ", and that variable is not set");
  if (!is_name(project, "-.:")) return wrong("project", project, "a project id; is the environment variable that it comes from set?");
  return project;
}

}  // namespace vt::gcp
