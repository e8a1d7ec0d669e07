#include "providers/emulator/fields.hpp"

#include <regex>

#include "providers/emulator/runpod/api.hpp"

namespace vt::emulator::runpod {

namespace {

// Field by field from RunPod's OpenAPI description of REST v2 (runpod/docs api-reference-v2/openapi.json, 2026-08-20).
const std::vector<Message> kMessages = {
    {"CreatePodRequest",
     "name:s! image:s templateId:s gpu:CreateGpuConfig cpu:CreateCpuConfig cloud:s dataCenterIds:*s disk:i args:s env:%s ports:*s "
     "mounts:Mounts registry:s? globalNetworking:b startSsh:b startJupyter:b"},
    {"UpdatePodRequest", "name:s image:s templateId:s disk:i args:s env:%s ports:*s mounts:Mounts registry:s? globalNetworking:b locked:b"},
    {"CreateGpuConfig", "id:s! count:i allowedCudaVersions:*s minCudaVersion:s"},
    {"CreateCpuConfig", "id:s! vcpuCount:i!"},
    {"Mounts", "persistent:PersistentMount network:*NetworkMount"},
    {"PersistentMount", "size:i! path:s!"},
    {"NetworkMount", "volumeId:s! path:s!"},
    {"PodActionRequest", "action:s!"},
    {"CreateNetworkVolumeRequest", "name:s! size:i! dataCenter:s! type:s"},
    {"UpdateNetworkVolumeRequest", "name:s size:i"},
    {"UpdateSshKeysRequest", "keys:*s!"},
};

const char* type_name(const std::string& type) {
  if (type == "s") return "string";
  if (type == "b") return "boolean";
  if (type == "i") return "integer";
  if (type == "d") return "number";
  return type.starts_with('*') ? "array" : "object";
}

const char* type_of(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::boolean: return "boolean";
    case json::value_t::string: return "string";
    case json::value_t::array: return "array";
    case json::value_t::object: return "object";
    default: return "number";
  }
}

std::string at(const std::string& path) { return path.empty() ? "$" : "$." + path; }

/// The first two sentences are the service's own (runpod-plugins-official, August 2026); the others follow their manner.
std::string sentence(const FieldProblem& p) {
  switch (p.kind) {
    case FieldProblem::Kind::missing: return at(p.parent) + ": missing property '" + p.name + "'";
    case FieldProblem::Kind::unknown: return at(p.parent) + ": additional properties '" + p.name + "' not allowed";
    case FieldProblem::Kind::type: break;
  }
  return at(p.path()) + ": got " + type_of(json::parse(p.value, nullptr, false)) + ", want " + type_name(p.wanted);
}

/// What the description says beyond types.
class Rules {
 public:
  explicit Rules(const json& body) : body_(body) {}
  void least(const char* path, std::int64_t lowest) {
    auto value = find(path);
    if (value && value->is_number() && value->get<std::int64_t>() < lowest)
      add(path, "minimum: got " + value->dump() + ", want " + std::to_string(lowest));
  }
  void most(const char* path, std::int64_t highest) {
    auto value = find(path);
    if (value && value->is_number() && value->get<std::int64_t>() > highest)
      add(path, "maximum: got " + value->dump() + ", want " + std::to_string(highest));
  }
  void some_text(const char* path) {
    auto value = find(path);
    if (value && value->is_string() && value->get_ref<const std::string&>().empty()) add(path, "minLength: got 0, want 1");
  }
  void one_of(const char* path, const std::vector<std::string>& words) {
    auto value = find(path);
    if (!value || std::find(words.begin(), words.end(), *value) != words.end()) return;
    std::string all;
    for (auto& word : words) all += (all.empty() ? "'" : ", '") + word + "'";
    add(path, "value must be one of " + all);
  }
  void shaped(const json& value, const std::string& path, const char* pattern) {
    if (value.is_string() && !std::regex_match(value.get_ref<const std::string&>(), std::regex(pattern)))
      errors.push_back(at(path) + ": '" + value.get<std::string>() + "' does not match pattern '^" + pattern + "$'");
  }
  void shaped_at(const char* path, const char* pattern) {
    if (auto value = find(path)) shaped(*value, dotted(path), pattern);
  }
  std::vector<std::string> errors;

 private:
  [[nodiscard]] const json* find(const char* path) const {
    json::json_pointer pointer(path);
    return body_.contains(pointer) ? &body_.at(pointer) : nullptr;
  }
  static std::string dotted(std::string path) {
    std::replace(path.begin(), path.end(), '/', '.');
    return path.substr(1);
  }
  void add(const char* path, const std::string& what) { errors.push_back(at(dotted(path)) + ": " + what); }

  const json& body_;
};

void check_pod(Rules& rules, const json& body) {
  rules.some_text("/name"), rules.some_text("/templateId");
  rules.least("/disk", 1), rules.least("/gpu/count", 1), rules.least("/cpu/vcpuCount", 2), rules.least("/mounts/persistent/size", 10);
  rules.one_of("/cloud", {"SECURE", "COMMUNITY"});
  rules.shaped_at("/gpu/minCudaVersion", R"(\d+\.\d+)");
  auto versions = body.value("/gpu/allowedCudaVersions"_json_pointer, json::array());
  for (std::size_t i = 0; i < versions.size(); ++i)
    rules.shaped(versions[i], "gpu.allowedCudaVersions[" + std::to_string(i) + "]", R"(\d+\.\d+)");
  if (auto network = body.value("/mounts/network"_json_pointer, json::array()); network.size() > 1)
    rules.errors.push_back("$.mounts.network: maxItems: got " + std::to_string(network.size()) + ", want 1");
}

std::vector<std::string> check_rules(const std::string& message, const json& body) {
  Rules rules(body);
  if (message == "CreatePodRequest" && !body.contains("image") && !body.contains("templateId"))
    rules.errors.emplace_back("$: missing property 'image'");
  if (message == "CreatePodRequest" || message == "UpdatePodRequest") check_pod(rules, body);
  if (message == "PodActionRequest") rules.one_of("/action", {"start", "stop", "restart", "terminate"});
  if (message == "UpdateNetworkVolumeRequest" && body.empty()) rules.errors.emplace_back("$: minProperties: got 0, want 1");
  if (message.find("NetworkVolume") != std::string::npos) {
    rules.some_text("/name"), rules.some_text("/dataCenter");
    rules.least("/size", 10), rules.most("/size", 4096);
    rules.one_of("/type", {"STANDARD", "HIGH_PERFORMANCE"});
  }
  for (std::size_t i = 0; message == "UpdateSshKeysRequest" && i < body["keys"].size(); ++i)
    rules.shaped(body["keys"][i], "keys[" + std::to_string(i) + "]", R"((ssh|ecdsa|sk)-\S+ \S+([ \t][^\n\r]*)?)");
  return rules.errors;
}

}  // namespace

const Fields& fields() {
  static const Fields table(kMessages);
  return table;
}

Refusal refuse_body(const Call& call, const std::string& message, json& body) {
  body = json::parse(call.body, nullptr, false);
  if (body.is_discarded()) return problem(400, "the request body is not valid JSON");
  if (!body.is_object()) return problem(422, "Request validation failed.", {std::string("$: got ") + type_of(body) + ", want object"});
  std::vector<std::string> errors;
  for (auto& one : fields().check(message, body)) errors.push_back(sentence(one));
  if (errors.empty()) errors = check_rules(message, body);
  if (errors.empty()) return std::nullopt;
  return problem(422, "Request validation failed.", errors);
}

}  // namespace vt::emulator::runpod
