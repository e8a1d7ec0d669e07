#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "providers/emulator/emulator.hpp"
#include "providers/http/http.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

struct Answer {
  int status = 0;  ///< 0: no complete reply
  nlohmann::json body;
  HttpReply reply;
  HttpFailure failure;
};

/// An emulator without hosts in a folder of its own, and the real HTTP client talking to it.
class Emulated {
 public:
  explicit Emulated(const std::string& faults = "", double pace = 0.001, bool any_token = true);

  Answer send(const std::string& method, const std::string& path, const nlohmann::json& body = nullptr, const std::string& token = "any");
  /// Below /compute/v1/projects/p/.
  Answer gcp(const std::string& method, const std::string& path, const nlohmann::json& body = nullptr);
  /// The operation of that answer, once it is DONE.
  nlohmann::json finished(const Answer& begun);
  /// The one thing of that kind and name in the books.
  nlohmann::json thing(const std::string& kind, const std::string& name);
  nlohmann::json requests() { return send("GET", "/emulator/requests").body["requests"]; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }
  emulator::Emulator& operator*() { return *emulator_; }

  static constexpr const char* kInstances = "zones/us-central1-b/instances";

 private:
  TempDir folder_;
  std::unique_ptr<emulator::Emulator> emulator_;
  std::unique_ptr<Http> http_;
};

/// A create body that is fine: e2-standard-4 with a Debian boot disk.
nlohmann::json instance_body(const std::string& name);
nlohmann::json g4_body(const std::string& name);

}  // namespace vt::test
