#include <ctime>

#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

struct Front {
  int status;
  const char *reason, *message;
};
// What the front of the service says without having looked at the request. 401: recorded; the others as clients quote them.
constexpr Front kFront[] = {
    {401, "authError",
     "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication "
     "credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."},
    {404, "notFound", "The requested URL was not found on this server."},
    {405, "httpMethodNotAllowed", "The HTTP method is not allowed for this resource."},
    {409, "resourceInUseByAnotherResource", "The resource is in use by another request."},
    {429, "rateLimitExceeded", "Rate Limit Exceeded"},
    {500, "internalError", "Internal error. Please try again or contact Google Support."},
    {503, "backendError", "The service is currently unavailable."},
};

/// "disks[0].initializeParams" as the service names it: in snake case.
std::string snake(const std::string& path) {
  std::string text;
  for (char c : path) {
    if (c >= 'A' && c <= 'Z') text += '_', c = static_cast<char>(c - 'A' + 'a');
    text += c;
  }
  return text;
}

std::string type_word(const std::string& type) {
  if (type == "b") return "TYPE_BOOL";
  if (type == "i") return "TYPE_INT32";
  if (type == "l") return "TYPE_INT64";
  if (type == "d") return "TYPE_FLOAT";
  return type == "s" ? "TYPE_STRING" : "type.googleapis.com/google.cloud.compute.v1." + type;
}

std::string describe(const FieldProblem& p) {
  std::string resource = p.parent.empty() ? "resource" : "resource." + snake(p.parent);
  if (p.kind == FieldProblem::Kind::unknown)
    return "Invalid JSON payload received. Unknown name \"" + p.name + "\" at '" + resource + "': Cannot find field.";
  return "Invalid value at '" + resource + "." + snake(p.name) + "' (" + type_word(p.wanted) + "), " + p.value;
}

}  // namespace

Reply error(int status, const std::string& reason, const std::string& message) {
  json one = {{"message", message}, {"domain", "global"}, {"reason", reason}};
  json body = {{"code", status}, {"message", message}, {"errors", json::array({one})}};
  if (status == 401) {
    body["errors"][0]["message"] = "Invalid Credentials";
    body["errors"][0]["location"] = "Authorization", body["errors"][0]["locationType"] = "header";
    body["status"] = "UNAUTHENTICATED";
  }
  return json_reply({{"error", body}}, status);
}

Reply front_error(int status) {
  for (auto& row : kFront)
    if (row.status == status) return error(status, row.reason, row.message);
  return error(status, "badRequest", "Bad request");
}

Reply not_found(const std::string& path) { return error(404, "notFound", "The resource '" + path + "' was not found"); }

std::optional<Reply> refuse_body(const Call& call, const std::string& message, json& body) {
  body = call.body.empty() ? json::object() : json::parse(call.body, nullptr, false);
  if (!body.is_object()) return error(400, "parseError", "Parse Error");
  auto problems = fields().check(message, body);
  if (problems.empty()) return std::nullopt;
  std::string all;
  json violations = json::array();
  for (auto& problem : problems) {
    all += (all.empty() ? "" : "\n") + describe(problem);
    violations.push_back(
        {{"field", problem.parent.empty() ? "resource" : "resource." + snake(problem.parent)}, {"description", describe(problem)}});
  }
  Reply reply = error(400, "badRequest", all);
  json text = json::parse(reply.body);
  text["error"]["status"] = "INVALID_ARGUMENT";
  text["error"]["details"] = json::array({{{"@type", "type.googleapis.com/google.rpc.BadRequest"}, {"fieldViolations", violations}}});
  return json_reply(text, 400);
}

std::string stamp(EpochMs at) {
  constexpr std::time_t kOffset = 8 * 3600;  // the service always shows Pacific standard time
  std::time_t seconds = at / 1000 - kOffset;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char day[32], text[48];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03d-08:00", day, static_cast<int>(at % 1000));
  return text;
}

std::string last_segment(const std::string& url) { return url.substr(url.find_last_of('/') + 1); }

std::string Instance::metadata(const std::string& key) const {
  for (auto& item : body.value("/metadata/items"_json_pointer, json::array()))
    if (item.value("key", "") == key) return item.value("value", "");
  return "";
}

}  // namespace vt::emulator::gcp
