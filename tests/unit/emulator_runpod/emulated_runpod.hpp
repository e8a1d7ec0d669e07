#pragma once
#include <gtest/gtest.h>
#include <poll.h>

#include "tests/contract/emulator/emulated.hpp"

namespace vt::test {

using nlohmann::json;

/// An emulator that runs 500 times as fast, with nobody behind its pods, and a caller with any token.
class EmulatedRunpod {
 public:
  explicit EmulatedRunpod(const std::string& faults = "", double pace = 0.002) : emulated_(faults, pace, true) {}
  Answer send(const std::string& method, const std::string& path, const json& body = nullptr, const std::string& token = "rpa_any") {
    return emulated_.send(method, "/v2/" + path, body, token);
  }
  Emulated& raw() { return emulated_; }
  std::string create(const json& body) {
    auto made = send("POST", "pods", body);
    EXPECT_EQ(made.status, 201) << made.reply.body;
    return made.body.value("id", "");
  }
  /// The pod once `holds` is true of it; null if that does not come.
  json wait(const std::string& id, const std::function<bool(const json&)>& holds) {
    for (int i = 0; i < 300; ++i) {
      auto pod = send("GET", "pods/" + id);
      if (pod.status == 200 && holds(pod.body)) return pod.body;
      poll(nullptr, 0, 10);
    }
    ADD_FAILURE() << "the pod stays " << send("GET", "pods/" + id).reply.body;
    return nullptr;
  }

 private:
  Emulated emulated_;
};

inline json pod_body(const std::string& name = "vt-pod") {
  return {{"name", name},
          {"image", "nvidia/cuda:12.8.0-base-ubuntu24.04"},
          {"gpu", {{"id", "NVIDIA L4"}, {"count", 1}}},
          {"cloud", "SECURE"},
          {"disk", 20},
          {"ports", {"22/tcp"}},
          {"args", "bash -c 'sleep 100'"},
          {"env", {{"VT_TOKEN", "t"}, {"SECRET", "s"}}}};
}

inline bool has_port(const json& pod) { return !pod["ssh"]["direct"].is_null(); }

inline std::string runpod_fault(const std::string& call, const std::string& kind, int seconds = 0) {
  json one{{"api", "runpod"}, {"call", call}, {"nth", 1}, {"kind", kind}};
  if (seconds > 0) one["seconds"] = seconds;
  return json::array({one}).dump();
}

}  // namespace vt::test
