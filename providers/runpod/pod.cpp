#include "providers/runpod/pod.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt::runpod {

namespace {

constexpr std::string_view kLettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool consists_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return kLettersAndDigits.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
  });
}

PodStatus status_of(const std::string& word) {
  constexpr std::pair<std::string_view, PodStatus> words[] = {{"PROVISIONING", PodStatus::provisioning},
                                                              {"STARTING", PodStatus::starting},
                                                              {"RUNNING", PodStatus::running},
                                                              {"EXITED", PodStatus::exited},
                                                              {"ERROR", PodStatus::error},
                                                              {"TERMINATED", PodStatus::terminated}};
  for (auto& [text, status] : words)
    if (word == text) return status;
  return PodStatus::unknown;
}

std::optional<int> small_number(const Json& from, const char* key) {
  auto& value = json_member(from, key);
  if (!value.is_number_integer()) return std::nullopt;
  auto number = value.get<std::int64_t>();
  return number >= 0 && number <= 100'000 ? std::optional(static_cast<int>(number)) : std::nullopt;
}

/// Only what may be passed on to the SSH library.
std::optional<SshEndpoint> endpoint_of(const Json& ssh) {
  auto& direct = json_member(ssh, "direct");
  SshEndpoint out{json_text(direct, "host"), json_text(direct, "username"), small_number(direct, "port").value_or(0)};
  if (out.user.empty()) out.user = "root";
  bool usable = consists_of(out.host, ".:-") && out.host.front() != '-' && consists_of(out.user, "_-") && out.user.front() != '-' &&
                out.port >= 1 && out.port <= 65'535;
  return usable ? std::optional(out) : std::nullopt;
}

std::map<std::string, std::string> marks_of(const Json& environment) {
  std::map<std::string, std::string> out;
  if (!environment.is_object()) return out;
  for (auto& [name, value] : environment.items())
    if (name.starts_with("VT_") && value.is_string() && name != "VT_HOST_KEY" && name != "VT_CLIENT_KEY")
      out[name] = value.get<std::string>();
  return out;
}

std::string mark(const Pod& pod, const std::string& name) {
  auto at = pod.marks.find(name);
  return at == pod.marks.end() ? "" : at->second;
}

EpochMs expiry_of(const Pod& pod) {
  auto text = mark(pod, "VT_EXPIRES");
  std::int64_t seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool sane = error == std::errc() && end == text.data() + text.size() && seconds > 0 && seconds < 100'000'000'000;
  return sane ? seconds * 1000 : 0;
}

}  // namespace

std::string Pod::ended() const {
  bool over = status == PodStatus::exited || status == PodStatus::error || status == PodStatus::terminated;
  return over ? "RunPod shows the pod as " + status_text : "";
}

Result<Pod> read_pod(const Json& from) {
  Pod pod;
  pod.id = json_text(from, "id");
  if (!consists_of(pod.id, "_-")) return fail(Errc::transport, "the reply is no pod");
  pod.name = json_text(from, "name");
  pod.status_text = printable(json_text(from, "status"));
  pod.status = status_of(pod.status_text);
  pod.data_center = json_text(from, "dataCenterId");
  pod.cloud = json_text(from, "cloud");
  pod.cuda = json_text(from, "cudaVersion");
  pod.gpu = json_text(json_member(from, "gpu"), "id");
  pod.gpu_count = small_number(json_member(from, "gpu"), "count");
  if (auto& seen = json_member(json_member(from, "runtime"), "gpus"); seen.is_array()) pod.gpus_seen = static_cast<int>(seen.size());
  pod.ssh = endpoint_of(json_member(from, "ssh"));
  pod.hourly = json_usd(from, "cost").value_or(Money{});
  pod.marks = marks_of(json_member(from, "env"));
  return pod;
}

bool has_mark(const Pod& pod, const std::string& install) {
  if (install.empty()) return pod.name.starts_with("vt-") || !mark(pod, "VT_INSTALL").empty();
  return pod.name.starts_with("vt-" + install + "-") || mark(pod, "VT_INSTALL") == install;
}

Resource resource_of(const Pod& pod) {
  Resource r;
  r.provider = "runpod", r.kind = "host";
  r.provider_id = pod.id, r.zone = pod.data_center, r.machine = pod.gpu, r.market = pod.cloud, r.hourly = pod.hourly;
  r.run = mark(pod, "VT_RUN");
  r.owner = {mark(pod, "VT_INSTALL"), mark(pod, "VT_ATTEMPT"), pod.name, expiry_of(pod), mark(pod, "VT_TOKEN")};
  return r;
}

}  // namespace vt::runpod
