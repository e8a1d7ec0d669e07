#include "providers/runpod/api.hpp"

#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/hex.hpp"
#include "orchestrator/model/text.hpp"

namespace vt::runpod {

namespace {

constexpr Duration kReadTimeout{60'000};
constexpr Duration kWriteTimeout{120'000};
constexpr std::size_t kLargestReply = std::size_t{32} << 20;  ///< a list holds every pod of the account with its environment

Secret key_of(const CloudAccess& cloud) {
  return Secret(cloud.environment ? std::string(trim(cloud.environment("RUNPOD_API_KEY"))) : std::string());
}

}  // namespace

Api::Api(const CloudAccess& cloud, Http& http) : cloud_(cloud), http_(http), key_(key_of(cloud)) {}

std::string Api::key_mark() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  auto text = "vault-test key mark " + key_.reveal();
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return hex({reinterpret_cast<const char*>(digest.data()), 4});
}

HttpResult Api::send(const std::string& method, const std::string& path, const std::string& body) {
  HttpRequest request;
  request.method = method;
  request.url = cloud_.runpod_base + path;
  request.bearer = &key_;
  request.timeout = method == "GET" ? kReadTimeout : kWriteTimeout;
  request.largest = kLargestReply;
  if (!body.empty()) request.content_type = "application/json", request.body = body;
  return http_.send(request);
}

CreateOutcome Api::create(const std::string& body) {
  static_assert(is_failpoint("runpod.create") && is_failpoint("runpod.created"));
  if (auto fine = failpoint_reached("runpod.create"); !fine) return Refused{Finding::Kind::network, fine.error().what};
  auto outcome = classify_create(send("POST", "pods", body), cloud_);
  if (auto fine = failpoint_reached("runpod.created"); !fine) return Ambiguous{fine.error().what};
  return outcome;
}

Result<HttpReply> Api::read(const std::string& path) {
  if (!has_key()) return fail(Errc::auth, "RUNPOD_API_KEY is not set");
  auto result = send("GET", path);
  if (!result) return fail(result.error().refused_by_us ? Errc::refused : Errc::transport, result.error().what);
  if (result->status != 200) return fail(read_error(*result));
  return std::move(*result);
}

Result<Json> Api::get(const std::string& path) {
  VT_TRY(HttpReply reply, read(path));
  return parse_json_object(reply.body, "RunPod");
}

Result<Pod> Api::pod(const std::string& id) {
  VT_FAILPOINT("runpod.poll");
  VT_TRY(Json body, get("pods/" + id));
  return read_pod(body);
}

Status Api::remove(const std::string& id) {
  if (!has_key()) return fail(Errc::auth, "RUNPOD_API_KEY is not set");
  VT_FAILPOINT("runpod.destroy");
  auto result = send("DELETE", "pods/" + id);
  VT_FAILPOINT("runpod.destroyed");
  if (!result) return fail(result.error().refused_by_us ? Errc::refused : Errc::transport, result.error().what);
  if (result->status >= 200 && result->status < 300) return {};
  return fail(read_error(*result));
}

Result<Api::Pods> Api::pods() {
  VT_FAILPOINT("runpod.list");
  VT_TRY(HttpReply reply, read("pods?includeClusterPods=true"));
  VT_TRY(Json body, parse_json_object(reply.body, "RunPod"));
  auto& list = json_member(body, "pods");
  if (!list.is_array()) return fail(Errc::transport, "the reply is no list of pods");
  Pods out;
  out.complete = true;
  out.date = reply.date;
  for (auto& entry : list) {
    auto pod = read_pod(entry);
    if (pod) out.pods.push_back(std::move(*pod));
    else out.complete = false;
  }
  return out;
}

}  // namespace vt::runpod
