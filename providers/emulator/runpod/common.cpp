#include <algorithm>
#include <ctime>

#include "orchestrator/model/clock.hpp"
#include "providers/emulator/runpod/api.hpp"

namespace vt::emulator::runpod {

namespace {

struct Front {
  int status;
  const char *title, *detail;
};
// The details of 401, 403, 404, 405 and 429 are those of the API description's examples.
constexpr Front kFront[] = {{400, "Bad Request", "bad request"},
                            {401, "Unauthorized", "missing bearer token"},
                            {402, "Payment Required", "insufficient balance"},
                            {403, "Forbidden", "access denied"},
                            {404, "Not Found", "not found"},
                            {405, "Method Not Allowed", "The requested method is not allowed for this path."},
                            {409, "Conflict", "conflict"},
                            {410, "Gone", "this version of the API has been switched off"},
                            {422, "Unprocessable Entity", "Request validation failed."},
                            {429, "Too Many Requests", "rate limit exceeded for the minute window"},
                            {500, "Internal Server Error", "Something went wrong. Please try again later or contact support."},
                            {503, "Service Unavailable", "Something went wrong. Please try again later or contact support."}};
constexpr int kPerMinute = 600, kPerHour = 30'000, kPerDay = 500'000;

const Front& front(int status) {
  auto found = std::find_if(std::begin(kFront), std::end(kFront), [&](auto& row) { return row.status == status; });
  return found == std::end(kFront) ? kFront[0] : *found;
}

/// What stands before the API turns nameless clients away, with a page of its own.
Reply nameless() { return {403, "<html><head><title>Access denied</title></head><body>error code: 1010</body></html>\n", "text/html", {}}; }

std::optional<Caller> caller_of(const Account& account, const Call& call) {
  std::string token = call.bearer();
  if (token.empty()) return std::nullopt;
  for (auto& [id, pod] : account.pods)
    if (pod->key == token) return Caller{pod};
  bool known = account.world.options.any_token || account.world.runpod_keys.contains(token);
  return known ? std::optional(Caller{}) : std::nullopt;
}

/// A pod's own key is good for its own pod: to read it, to stop it, to end it.
bool allowed(const Caller& caller, const Call& call) {
  if (!caller.pod) return true;
  std::string own = "/v2/pods/" + caller.pod->id;
  return (call.path == own && call.method != "PATCH") || call.path == own + "/action" || call.path == own + "/logs";
}

}  // namespace

Reply problem(int status, const std::string& detail, const std::vector<std::string>& errors) {
  json body = {{"title", front(status).title}, {"status", status}, {"detail", detail}};
  if (!errors.empty()) body["errors"] = errors;
  Reply reply = json_reply(body, status);
  reply.type = "application/problem+json";
  return reply;
}

Reply front_error(int status) { return problem(status, front(status).detail); }

Reply no_capacity() {
  return problem(400, "There are no longer any instances available with the requested specifications. Please refresh and try again.");
}

std::string stamp(EpochMs at) { return utc_text(at); }

double dollars(std::int64_t micro) { return static_cast<double>(micro) / 1e6; }

std::map<std::string, std::string> Account::rate_headers() {
  auto seconds = world.clock.now().count() / 1000;
  if (seconds / 60 != minute_) minute_ = seconds / 60, calls_ = 0;
  ++calls_;
  auto left = std::to_string(std::max(kPerMinute - calls_, 0)), reset = std::to_string(60 - seconds % 60);
  return {{"RateLimit", "\"minute\";r=" + left + ";t=" + reset + ", \"hour\";r=" + std::to_string(kPerHour - calls_) +
                            ";t=1812, \"day\";r=" + std::to_string(kPerDay - calls_) + ";t=45012"},
          {"RateLimit-Policy", "\"minute\";q=" + std::to_string(kPerMinute) + ";w=60, \"hour\";q=" + std::to_string(kPerHour) +
                                   ";w=3600, \"day\";q=" + std::to_string(kPerDay) + ";w=86400"}};
}

void route(const std::shared_ptr<Account>& account, const std::string& method, const std::string& pattern, CallKind kind,
           AccountHandler handler) {
  account->world.server->route(method, pattern, Api::runpod, kind, [account, handler = std::move(handler)](const Call& call) {
    if (call.header("user-agent").empty()) return nameless();
    std::lock_guard lock(account->world.mutex);
    auto caller = caller_of(*account, call);
    if (!caller) return call.bearer().empty() ? front_error(401) : problem(401, "invalid bearer token");
    Reply reply = allowed(*caller, call) ? handler(*account, call) : front_error(403);
    reply.headers.merge(account->rate_headers());
    return reply;
  });
}

}  // namespace vt::emulator::runpod

namespace vt::emulator {

void add_runpod(World& world) {
  using namespace runpod;
  auto account = std::make_shared<Account>(world);
  Server& server = *world.server;
  server.errors(Api::runpod, front_error);
  server.home(Api::runpod, "/v2/");
  add_pods(account);
  add_logs(account);
  add_catalogue(account);
  add_account(account);
  add_billing(account);
  add_volumes(account);
  // Announced to be switched off on 2026-11-15.
  for (auto method : {"GET", "POST", "PATCH", "DELETE"})
    server.route(method, "/v1/{*}", Api::runpod, CallKind::none, [](const Call&) {
      return json_reply({{"error", "REST v1 has been switched off; use v2"}, {"status", 410}}, 410);
    });
  world.controls[Api::runpod] = {[account](const json& what) { return account->foreign(what); },
                                 [account](const std::string& id, const std::string& how) { return account->end(id, how); }};
}

}  // namespace vt::emulator
