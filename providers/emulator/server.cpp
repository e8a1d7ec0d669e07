#include "providers/emulator/server.hpp"

#include <httplib.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/gate.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

/// Every connection takes a thread while it is open, and a request that waits for an operation does so for long.
constexpr std::size_t kThreads = 64;

struct Route {
  std::string method;
  std::vector<std::string> pattern;
  Api api = Api::none;
  CallKind kind = CallKind::none;
  Handler handler;
};

/// The library's backlog of 5 would drop connections of a busy test.
class Httpd : public httplib::Server {
 public:
  int open() {
    int port = bind_to_any_port("127.0.0.1");
    listen(svr_sock_, SOMAXCONN);
    return port;
  }

 private:
  static void listen(int fd, int backlog) { ::listen(fd, backlog); }
};

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path, std::vector<std::string>& parts) {
  parts.clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (i >= path.size()) return false;
    if (pattern[i] == "{*}") {
      parts.push_back(join({path.begin() + static_cast<std::ptrdiff_t>(i), path.end()}, "/"));
      return true;
    }
    if (pattern[i] == "{}") parts.push_back(path[i]);
    else if (pattern[i] != path[i]) return false;
  }
  return path.size() == pattern.size();
}

std::string http_date(EpochMs at) {
  std::time_t seconds = at / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  auto size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text, size};
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Call call_from(const httplib::Request& req, const std::string& base) {
  Call call;
  call.method = req.method, call.path = req.path, call.body = req.body;
  auto question = req.target.find('?');
  if (question != std::string::npos) call.query = parse_query(req.target.substr(question + 1));
  for (auto& [key, value] : req.headers) call.headers[lower(key)] = value;
  call.base = call.header("host").empty() ? base : "http://" + call.header("host");
  return call;
}

Request log_of(const Call& call, Api api) {
  Request entry;
  entry.number = call.number, entry.at = Clock::wall(), entry.api = name(api), entry.method = call.method, entry.path = call.path;
  entry.request_id = call.param("requestId");
  json body = json::parse(call.body, nullptr, false);
  if (body.is_object() && body.contains("name") && body["name"].is_string()) entry.name = body["name"];
  entry.marks = marks_of(body);
  return entry;
}

}  // namespace

struct Server::Impl {
  Books& books;
  Faults& faults;
  const Clock& clock;
  std::vector<Route> routes;
  std::map<Api, ErrorMaker> errors;
  std::vector<std::pair<std::string, Api>> homes;
  Httpd http;
  std::unique_ptr<Gate> gate;
  std::thread thread;

  Impl(Books& b, Faults& f, const Clock& c) : books(b), faults(f), clock(c) {}

  void serve(const httplib::Request&, httplib::Response&);
  Reply reply_to(Call&, int peer);
  Reply play(const Route&, Call&, int peer);
  Reply lose(int peer, Cut::How);
  [[nodiscard]] Reply error(Api, int status) const;
  [[nodiscard]] const Route* find(Call&) const;
  [[nodiscard]] Reply lost(const Call&) const;
  [[nodiscard]] Reply run(const Route&, const Call&) const;
  [[nodiscard]] int refused_by(const FaultSet&) const;
  void spoil(const Call&, const Reply&, int peer);
};

Reply Server::Impl::error(Api api, int status) const {
  auto found = errors.find(api);
  if (found != errors.end()) return found->second(status);
  return json_reply({{"error", "status " + std::to_string(status)}}, status);
}

const Route* Server::Impl::find(Call& call) const {
  auto path = split(call.path, '/');
  for (auto& route : routes)
    if (route.method == call.method && matches(route.pattern, path, call.parts)) return &route;
  return nullptr;
}

Reply Server::Impl::lost(const Call& call) const {
  auto path = split(call.path, '/');
  std::vector<std::string> parts, others;
  for (auto& route : routes)
    if (matches(route.pattern, path, parts)) others.push_back(route.method);
  for (auto& [prefix, api] : homes) {
    if (!call.path.starts_with(prefix)) continue;
    Reply reply = error(api, others.empty() ? 404 : 405);
    if (!others.empty()) reply.headers["Allow"] = join(others, ", ");
    return reply;
  }
  return error(Api::none, 404);
}

/// Handlers use the JSON library, which throws on what they did not foresee.
Reply Server::Impl::run(const Route& route, const Call& call) const {
  try {
    return route.handler(call);
  } catch (const std::exception& e) {
    Reply reply = error(route.api, 500);
    reply.headers["X-Emulator-Problem"] = printable(e.what());
    return reply;
  }
}

/// The status of a fault that answers instead of the handler; 0: none.
int Server::Impl::refused_by(const FaultSet& met) const {
  if (met.has(FaultKind::expired)) return 401;
  if (met.has(FaultKind::rate)) return 429;
  if (met.has(FaultKind::unavailable)) return 503;
  if (met.has(FaultKind::conflict)) return 409;
  return 0;
}

/// Not executed, and no reply.
Reply Server::Impl::lose(int peer, Cut::How how) {
  gate->cut(peer, {how});
  return {0, "", "", {}};
}

Reply Server::Impl::play(const Route& route, Call& call, int peer) {
  const FaultSet& met = call.faults;
  if (met.has(FaultKind::lost_before)) return lose(peer, Cut::How::close);
  if (met.has(FaultKind::reset)) return lose(peer, Cut::How::reset);
  if (met.has(FaultKind::tls)) return lose(peer, Cut::How::alert);
  if (int status = refused_by(met); status != 0) {
    Reply reply = error(route.api, status);
    if (status == 429) reply.headers["Retry-After"] = std::to_string(met.length(FaultKind::rate).count() / 1000);
    return reply;
  }
  Reply reply = run(route, call);
  if (met.has(FaultKind::error_after)) reply = error(route.api, 500);
  spoil(call, reply, peer);
  if (met.has(FaultKind::lost_after)) reply.status = 0;
  return reply;
}

/// What happens to a reply on its way back.
void Server::Impl::spoil(const Call& call, const Reply& reply, int peer) {
  const FaultSet& met = call.faults;
  if (met.has(FaultKind::lost_after)) gate->cut(peer, {Cut::How::close});
  else if (met.has(FaultKind::truncated) && reply.body.size() > 1) gate->cut(peer, {Cut::How::truncate, reply.body.size() / 2});
  else if (met.has(FaultKind::slow)) gate->cut(peer, {Cut::How::drip, reply.body.size() + 256, clock.real(met.length(FaultKind::slow))});
  else if (met.has(FaultKind::unreachable)) gate->cut(peer, {Cut::How::last, 0, clock.real(met.length(FaultKind::unreachable))});
}

Reply Server::Impl::reply_to(Call& call, int peer) {
  bool reused = gate->requests_before(peer) > 0;
  const Route* route = find(call);
  if (route == nullptr) return lost(call);
  bool logged = route->kind != CallKind::none && call.method != "GET";
  if (logged) call.number = books.next_request();
  call.faults = faults.meet(route->api, route->kind, reused);
  Reply reply = play(*route, call, peer);
  if (logged) {
    Request entry = log_of(call, route->api);
    entry.status = reply.status, entry.fault = call.faults.text();
    books.log(entry);
  }
  return reply;
}

void Server::Impl::serve(const httplib::Request& req, httplib::Response& res) {
  Call call = call_from(req, "http://127.0.0.1:" + std::to_string(gate->port()));
  Reply reply = reply_to(call, req.remote_port);
  bool skewed = call.faults.has(FaultKind::skew);
  res.status = reply.status == 0 ? 500 : reply.status;  // 0: the gate lets nothing of it through
  res.set_header("Date", http_date(Clock::wall() + (skewed ? call.faults.length(FaultKind::skew).count() : 0)));
  for (auto& [key, value] : reply.headers) res.set_header(key, value);
  if (reply.status != 204) res.set_content(reply.body, reply.type);
}

Server::Server(Books& books, Faults& faults, const Clock& clock) : impl_(std::make_unique<Impl>(books, faults, clock)) {
  impl_->http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // owned by the library
  impl_->http.set_tcp_nodelay(true);
  impl_->http.set_keep_alive_max_count(1'000'000);
  impl_->http.set_keep_alive_timeout(30);
  impl_->http.set_payload_max_length(std::size_t{8} << 20);
  auto serve = [impl = impl_.get()](const httplib::Request& req, httplib::Response& res) { impl->serve(req, res); };
  impl_->http.Get(".*", serve).Post(".*", serve).Put(".*", serve).Patch(".*", serve).Delete(".*", serve);
}

Server::~Server() { stop(); }

void Server::route(const std::string& method, const std::string& pattern, Api api, CallKind kind, Handler handler) {
  impl_->routes.push_back({method, split(pattern, '/'), api, kind, std::move(handler)});
}

void Server::errors(Api api, ErrorMaker maker) { impl_->errors[api] = std::move(maker); }

void Server::home(Api api, const std::string& prefix) { impl_->homes.emplace_back(prefix, api); }

Status Server::start(int port) {
  int inner = impl_->http.open();
  if (inner <= 0) return fail(Errc::internal, "cannot listen on 127.0.0.1");
  VT_TRY(impl_->gate, Gate::open(port, inner));
  impl_->thread = std::thread([impl = impl_.get()] { impl->http.listen_after_bind(); });
  return {};
}

void Server::stop() {
  if (!impl_->thread.joinable()) return;
  while (!impl_->http.is_running()) std::this_thread::yield();  // stop() before that would be forgotten
  impl_->http.stop();
  impl_->thread.join();
  impl_->gate.reset();
}

int Server::port() const { return impl_->gate ? impl_->gate->port() : 0; }

std::string Server::base() const { return "http://127.0.0.1:" + std::to_string(port()); }

Reply Server::answer(Call call) const {
  const Route* route = impl_->find(call);
  if (route == nullptr) return impl_->lost(call);
  bool logged = route->kind != CallKind::none && call.method != "GET";
  if (logged) call.number = impl_->books.next_request();
  call.faults = impl_->faults.meet(route->api, route->kind, false);
  Reply reply = impl_->run(*route, call);
  if (!logged) return reply;
  Request entry = log_of(call, route->api);
  entry.status = reply.status, entry.fault = call.faults.text();
  impl_->books.log(entry);
  return reply;
}

}  // namespace vt::emulator
