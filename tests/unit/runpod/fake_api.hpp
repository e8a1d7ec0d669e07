#pragma once
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "providers/runpod/runpod.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

using nlohmann::json;

inline HttpReply http_reply(int status, const std::string& body, std::map<std::string, std::string> headers = {}) {
  HttpReply r;
  r.status = status, r.body = body, r.headers = std::move(headers);
  return r;
}
inline HttpReply http_reply(int status, const char* body) { return http_reply(status, std::string(body)); }
inline HttpReply http_reply(int status, const json& body) { return http_reply(status, body.dump()); }
inline HttpReply problem(int status, const std::string& detail) {
  return http_reply(status, json{{"title", "T"}, {"status", status}, {"detail", detail}});
}
inline HttpResult lost(bool sent, const std::string& what = "the wire broke") { return tl::unexpected(HttpFailure{sent, false, what}); }

/// Answers from a script: for "METHOD path" the replies in turn, the last one again and again. Remembers what was asked.
class FakeApi final : public Http {
 public:
  struct Asked {
    std::string call, body, bearer;
  };
  HttpResult send(const HttpRequest& request) override {
    const std::string base = "http://127.0.0.1:1/v2/";
    auto call = request.method + " " + (request.url.starts_with(base) ? request.url.substr(base.size()) : request.url);
    asked.push_back({call, request.body, request.bearer ? request.bearer->reveal() : ""});
    auto& replies = script[call];
    if (replies.empty()) return problem(404, "nothing here: " + call);
    auto reply = replies.front();
    if (replies.size() > 1) replies.pop_front();
    return reply;
  }
  [[nodiscard]] int times(const std::string& call) const {
    int n = 0;
    for (auto& a : asked) n += a.call == call ? 1 : 0;
    return n;
  }
  std::map<std::string, std::deque<HttpResult>> script;
  std::vector<Asked> asked;
};

/// A pod as RunPod's API shows it.
inline json pod_json(const std::string& id, const std::string& status = "RUNNING") {
  return {{"id", id},
          {"name", "vt-aaaaaaaa-bbbbbbbbbbbbbbbb"},
          {"status", status},
          {"actions", {"stop", "terminate"}},
          {"image", "nvidia/cuda"},
          {"env", {{"VT_INSTALL", "aaaaaaaa"}, {"VT_ATTEMPT", "bbbbbbbbbbbbbbbb"}, {"VT_TOKEN", "token"}, {"VT_EXPIRES", "1700003600"}}},
          {"gpu", {{"id", "NVIDIA L4"}, {"count", 1}}},
          {"cloud", "SECURE"},
          {"dataCenterId", "US-TX-3"},
          {"cudaVersion", "12.8"},
          {"ssh", {{"proxy", nullptr}, {"direct", nullptr}}},
          {"cost", 0.44},
          {"runtime", json::object()}};
}

/// A RunPod provider that talks to a FakeApi, with a folder and an installation of its own.
struct Scene {
  TempDir folder;
  ManualClock manual;
  ProviderContext context;
  FakeApi* api = nullptr;  ///< of the last provider made
  std::map<std::string, std::string> environment{{"RUNPOD_API_KEY", "canary-key"}};
  Layer layer;
  Resource resource;

  Scene() {
    context.state_dir = folder.path();
    context.clock = &manual;
    context.cloud.runpod_base = "http://127.0.0.1:1/v2/";
    context.cloud.reach = HttpRules::Reach::loopback;
    context.cloud.pace = 0.002;
    context.cloud.environment = [this](const std::string& name) { return environment[name]; };
    layer.name = "pod", layer.provider = "runpod";
    layer.options = {{"gpu", {"NVIDIA L4"}}};
    resource.owner = {"aaaaaaaa", "bbbbbbbbbbbbbbbb", "vt-aaaaaaaa-bbbbbbbbbbbbbbbb", 1'700'003'600'000, "token"};
    resource.provider = "runpod", resource.provider_id = "pod1", resource.machine = "NVIDIA L4", resource.market = "SECURE";
    resource.run = "run7", resource.created = manual.wall_ms;
  }
  std::unique_ptr<Provider> provider() {
    auto http = std::make_unique<FakeApi>();
    api = http.get();
    return make_runpod(context, std::move(http));
  }
};

}  // namespace vt::test
