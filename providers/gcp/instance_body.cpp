#include "providers/gcp/instance_body.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace vt::gcp {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestLabel = 63;

/// Labels hold lower-case letters, digits, '_' and '-'.
std::string as_label(std::string text) {
  text.resize(std::min(text.size(), kLongestLabel));
  for (auto& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    else if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') c = '-';
  }
  return text;
}

/// The lease is relative, so that it does not depend on our clock. No automatic restart: each would start the lease anew.
json scheduling(const std::string& market, std::chrono::seconds left) {
  json out{{"maxRunDuration", {{"seconds", std::to_string(left.count())}}},
           {"instanceTerminationAction", "DELETE"},
           {"automaticRestart", false},
           {"onHostMaintenance", "TERMINATE"},
           {"provisioningModel", market == "spot" ? "SPOT" : "STANDARD"}};
  if (market == "spot") out["preemptible"] = true;
  return out;
}

/// Everything said explicitly: an unset truth value is false at this API, and an unnamed disk would reuse one of the same name.
json boot_disk(const Wish& wish, const Resource& r) {
  return {{"boot", true},
          {"autoDelete", true},
          {"type", "PERSISTENT"},
          {"mode", "READ_WRITE"},
          {"initializeParams",
           {{"diskName", r.owner.name},
            {"diskSizeGb", std::to_string(wish.disk_gb)},
            {"diskType", "zones/" + r.zone + "/diskTypes/" + wish.disk_type},
            {"sourceImage", wish.image},
            {"labels", labels_of(r)}}}};
}

json network(const Wish& wish, const std::string& zone) {
  json out = json::object();
  if (!wish.network.empty()) out["network"] = "global/networks/" + wish.network;
  if (!wish.subnetwork.empty()) out["subnetwork"] = "regions/" + region_of(zone) + "/subnetworks/" + wish.subnetwork;
  if (wish.public_address) out["accessConfigs"] = json::array({{{"name", "external-nat"}, {"type", "ONE_TO_ONE_NAT"}}});
  return out;
}

/// Only our key opens the instance, and its host key can be read from outside.
json metadata(const Wish& wish, const std::string& ssh_key) {
  auto item = [](const char* key, const std::string& value) { return json{{"key", key}, {"value", value}}; };
  return {{"items",
           {item("ssh-keys", wish.user + ":" + ssh_key), item("enable-oslogin", "FALSE"), item("block-project-ssh-keys", "TRUE"),
            item("enable-guest-attributes", "TRUE")}}};
}

}  // namespace

std::map<std::string, std::string> labels_of(const Resource& r) {
  return {{"vt-install", as_label(r.owner.install)},
          {"vt-attempt", as_label(r.owner.attempt)},
          {"vt-run", as_label(r.run)},
          {"vt-expires", std::to_string(r.owner.expires / 1000)},
          {"vt-token", as_label(r.owner.token)}};
}

Ownership owner_of(const std::string& name, const std::map<std::string, std::string>& labels) {
  auto label = [&](const char* key) {
    auto it = labels.find(key);
    return it == labels.end() ? std::string() : it->second;
  };
  Ownership owner{label("vt-install"), label("vt-attempt"), name, 0, label("vt-token")};
  auto seconds = label("vt-expires");
  EpochMs value = 0;
  auto [end, error] = std::from_chars(seconds.data(), seconds.data() + seconds.size(), value);
  constexpr EpochMs latest = 253'402'300'799;  // the year 9999
  if (error == std::errc{} && end == seconds.data() + seconds.size() && value > 0 && value <= latest) owner.expires = value * 1000;
  return owner;
}

std::string instance_body(const Wish& wish, const Resource& r, const std::string& ssh_key, std::chrono::seconds left) {
  json body{{"name", r.owner.name},
            {"machineType", "zones/" + r.zone + "/machineTypes/" + r.machine},
            {"labels", labels_of(r)},
            {"scheduling", scheduling(r.market, left)},
            {"disks", json::array({boot_disk(wish, r)})},
            {"networkInterfaces", json::array({network(wish, r.zone)})},
            {"metadata", metadata(wish, ssh_key)},
            {"serviceAccounts", json::array()},  // what runs there cannot reach the cloud's API
            {"deletionProtection", false}};
  for (auto& accelerator : wish.accelerators)
    body["guestAccelerators"].push_back(
        {{"acceleratorType", "zones/" + r.zone + "/acceleratorTypes/" + accelerator.type}, {"acceleratorCount", accelerator.count}});
  return body.dump();
}

}  // namespace vt::gcp
