#include "tests/contract/emulator/emulated.hpp"

#include <gtest/gtest.h>

namespace vt::test {

using nlohmann::json;

Emulated::Emulated(const std::string& faults, double pace, bool any_token) {
  emulator::Options options;
  options.folder = folder_.path(), options.pace = pace, options.seed = 7, options.faults = faults;
  options.hosts = emulator::HostKind::none, options.any_token = any_token;
  auto started = emulator::Emulator::start(options);
  if (!started) throw std::runtime_error(started.error().what);
  emulator_ = std::move(started).take();
  http_ = make_http({HttpRules::Reach::loopback, "vault-test/test", ""});
}

Answer Emulated::send(const std::string& method, const std::string& path, const json& body, const std::string& token) {
  HttpRequest request;
  Secret bearer(token);
  request.method = method, request.url = emulator_->address() + path, request.timeout = Duration{10'000};
  if (!token.empty()) request.bearer = &bearer;
  if (!body.is_null()) request.content_type = "application/json", request.body = body.is_string() ? body.get<std::string>() : body.dump();
  auto result = http_->send(request);
  Answer answer;
  if (!result) return answer.failure = result.error(), answer;
  answer.reply = *result, answer.status = result->status;
  answer.body = json::parse(result->body, nullptr, false);
  return answer;
}

Answer Emulated::gcp(const std::string& method, const std::string& path, const json& body) {
  return send(method, "/compute/v1/projects/p/" + path, body);
}

json Emulated::finished(const Answer& begun) {
  EXPECT_EQ(begun.status, 200) << begun.reply.body;
  json op = begun.body;
  for (int tries = 0; tries < 200 && op.value("status", "") != "DONE"; ++tries) {
    std::string link = op.value("selfLink", "");
    op = send("POST", link.substr(link.find("/compute/")) + "/wait").body;
  }
  EXPECT_EQ(op.value("status", ""), "DONE") << op;
  return op;
}

json Emulated::thing(const std::string& kind, const std::string& name) {
  json found, books = send("GET", "/emulator/books").body;
  for (auto& row : books["things"])
    if (row["kind"] == kind && row["name"] == name) found = row;
  return found;
}

json instance_body(const std::string& name) {
  return json::parse(R"({"machineType":"zones/us-central1-b/machineTypes/e2-standard-4","disks":[{"boot":true,"autoDelete":true,
    "initializeParams":{"sourceImage":"projects/debian-cloud/global/images/family/debian-12"}}],
    "networkInterfaces":[{"network":"global/networks/default","accessConfigs":[{"name":"external-nat","type":"ONE_TO_ONE_NAT"}]}],
    "labels":{"vt-run":"r1"},"name":")" +
                     name + "\"}");
}

json g4_body(const std::string& name) {
  json body = instance_body(name);
  body["machineType"] = "zones/us-central1-b/machineTypes/g4-standard-48";
  body["scheduling"] = {{"onHostMaintenance", "TERMINATE"}};
  body["disks"][0]["initializeParams"]["diskType"] = "zones/us-central1-b/diskTypes/hyperdisk-balanced";
  return body;
}

}  // namespace vt::test
