#include "providers/runpod/create_body.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "providers/base64.hpp"
#include "providers/runpod/bootstrap.hpp"

namespace vt::runpod {

namespace {

using nlohmann::json;

/// A pod that nobody enters ends itself after this long; by then even a large image is there.
constexpr Duration kBootGrace = std::chrono::minutes(10);
constexpr Duration kTick = std::chrono::seconds(15);
/// A stand-in host needs real time to start, however fast its cloud runs.
constexpr Duration kLeastBootGrace = std::chrono::minutes(1);

std::string seconds(Duration d) { return std::to_string(std::max<Duration::rep>(d.count() / 1000, 1)); }

std::string without_slash(std::string base) {
  while (base.ends_with('/')) base.pop_back();
  return base;
}

json environment(const Resource& r, const PodKeys& keys, const CloudAccess& cloud, EpochMs now) {
  json env{{"VT_INSTALL", r.owner.install},
           {"VT_ATTEMPT", r.owner.attempt},
           {"VT_TOKEN", r.owner.token},
           {"VT_EXPIRES", std::to_string(r.owner.expires / 1000)},
           {"VT_LEASE", seconds(Duration{r.owner.expires - now})},
           {"VT_BOOT_GRACE", seconds(std::max(cloud.paced(kBootGrace), kLeastBootGrace))},
           {"VT_TICK", seconds(cloud.paced(kTick))},
           {"VT_API", without_slash(cloud.runpod_base)},
           {"VT_HOST_KEY", base64(keys.host.private_text)},
           {"VT_CLIENT_KEY", keys.client.public_line}};
  if (!r.run.empty()) env["VT_RUN"] = r.run;
  return env;
}

}  // namespace

std::string create_body(const Wish& wish, const Resource& r, const PodKeys& keys, const CloudAccess& cloud, EpochMs now) {
  // Without a count RunPod's scheduler finds no machine and calls that a lack of capacity.
  json gpu{{"id", r.machine}, {"count", wish.gpu_count}};
  if (!wish.min_cuda.empty()) gpu["minCudaVersion"] = wish.min_cuda;
  json body{{"name", r.owner.name},
            {"image", wish.image},
            {"gpu", gpu},
            {"cloud", r.market},
            {"disk", wish.disk_gb},
            {"args", start_command()},
            {"env", environment(r, keys, cloud, now)},
            {"ports", {"22/tcp"}},
            {"startSsh", false}};
  if (!r.zone.empty()) body["dataCenterIds"] = json::array({r.zone});
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace vt::runpod
