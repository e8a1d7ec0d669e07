#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "remote-agent/base/hex.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/net_traffic.hpp"
#include "remote-agent/checks/net_wire.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;
constexpr std::int64_t kConnectMs = 2000, kLookMs = 50;
constexpr int kPings = 100;

std::string new_token() {
  std::random_device random;
  std::string out;
  while (out.size() < sizeof(Greeting::token)) out += "0123456789abcdef"[random() % 16];
  return out;
}

/// The end that waits: answers whoever knows the token until it is destroyed.
class Server {
 public:
  Server(Listener listener, std::string token, std::int64_t stop_at)
      : listener_(std::move(listener)),
        token_(std::move(token)),
        stop_at_(stop_at),
        accepting_([this](const std::stop_token& stop) { accept_all(stop); }) {}

 private:
  void accept_all(const std::stop_token& stop) {
    while (!stop.stop_requested() && agent::boot_ms() < stop_at_)
      if (auto fd = accept_one(listener_, agent::boot_ms() + kLookMs))
        threads_.emplace_back([this, socket = std::move(*fd)] { serve(socket.get()); });
  }
  void serve(int socket) const {
    limit_waits(socket, agent::boot_ms() + kConnectMs);
    Greeting greeting;
    if (!receive_whole(socket, &greeting, sizeof greeting) || std::memcmp(greeting.token.data(), token_.data(), token_.size()) != 0) return;
    limit_waits(socket, stop_at_);
    if (!send_whole(socket, token_.data(), 1)) return;
    if (greeting.role == kPing) answer_pings(socket);
    // The client learns of anything wrong: it counts what it receives, and is told what was received here.
    else if (greeting.role == kToServer) (void)receive_blocks(socket);
    else if (greeting.role == kToClient) (void)send_blocks(socket, std::clamp(greeting.seconds, 0.0, 600.0), greeting.fault != 0);
  }

  Listener listener_;
  std::string token_;
  std::int64_t stop_at_;
  std::vector<std::jthread> threads_;
  std::jthread accepting_;
};

/// What a waiting end lets the others know.
struct Invitation {
  std::string token;
  int port = 0;
  std::vector<std::string> addresses;
};

struct Pair {
  const Task& task;
  int server, client;
  std::int64_t stop_at;
  double seconds;
  [[nodiscard]] std::string key(const char* what) const { return "net.pair." + std::to_string(server) + "." + what; }
  [[nodiscard]] std::string name() const { return std::to_string(server) + "-" + std::to_string(client); }
};

Result<agent::Fd> greet(const Invitation& to, const std::string& address, Greeting greeting, std::int64_t stop_at) {
  VT_TRY(auto fd, connect_to(address, to.port, std::min(stop_at, agent::boot_ms() + kConnectMs)));
  limit_waits(fd.get(), std::min(stop_at, agent::boot_ms() + kConnectMs));
  std::copy_n(to.token.begin(), std::min(to.token.size(), greeting.token.size()), greeting.token.begin());
  char answer = 0;
  if (!send_whole(fd.get(), &greeting, sizeof greeting) || !receive_whole(fd.get(), &answer, 1) || answer != to.token[0])
    return fail(Errc::transport, address + ":" + std::to_string(to.port) + " (somebody else answers)");
  limit_waits(fd.get(), stop_at);
  return fd;
}

struct Reached {
  std::string address;
  agent::Fd fd;
};
Result<Reached> reach(const Invitation& to, std::int64_t stop_at) {
  std::string tried;
  for (auto& address : to.addresses) {
    Greeting greeting;
    greeting.role = kPing;
    auto fd = greet(to, address, greeting, stop_at);
    if (fd) return Reached{address, std::move(fd).take()};
    tried += (tried.empty() ? "" : ", ") + fd.error().what;
  }
  return fail(Errc::transport, "the other host cannot be reached: " + (tried.empty() ? "it has no address" : tried));
}

struct Flow {
  double gbit_s = 0;
  std::uint64_t wrong = 0;
};

/// args.streams connections at once in one direction; the rate is that of what arrived, until the last has arrived.
Result<Flow> flow(const Pair& pair, const Invitation& to, const std::string& address, Role role) {
  auto streams = std::clamp(static_cast<int>(pair.task.number("streams", 4)), 1, 64);
  std::mutex mutex;
  Received sum;
  std::optional<Error> error;
  auto start = agent::boot_ms();
  auto one = [&](bool fault) -> Result<Received> {
    Greeting greeting;
    greeting.role = role, greeting.seconds = pair.seconds, greeting.fault = fault && role == kToClient;
    VT_TRY(auto fd, greet(to, address, greeting, pair.stop_at));
    return role == kToServer ? send_blocks(fd.get(), pair.seconds, fault) : receive_blocks(fd.get());
  };
  {
    std::vector<std::jthread> threads;
    for (int s = 0; s < streams; s++)
      threads.emplace_back([&, s] {
        auto got = one(s == 0 && pair.task.flag("fault"));
        std::lock_guard hold(mutex);
        if (!got) error = got.error();
        else sum.bytes += got->bytes, sum.wrong += got->wrong;
      });
  }
  if (error) return fail(*error);
  auto seconds = static_cast<double>(std::max<std::int64_t>(1, agent::boot_ms() - start)) / 1000;
  return Flow{static_cast<double>(sum.bytes) * 8 / seconds / 1e9, sum.wrong};
}

Result<json> measure(const Pair& pair, const Invitation& to) {
  VT_TRY(auto reached, reach(to, pair.stop_at));
  VT_TRY(auto round_trip, ping(reached.fd.get(), kPings));
  auto mtu = path_mtu(reached.fd.get());
  auto speed = link_speed(reached.fd.get());
  VT_TRY(auto there, flow(pair, to, reached.address, kToServer));
  VT_TRY(auto back, flow(pair, to, reached.address, kToClient));
  json out = {{"address", reached.address},  {"mtu", mtu},
              {"round_trip_us", round_trip}, {"gbit_s", there.gbit_s},
              {"back_gbit_s", back.gbit_s},  {"wrong", there.wrong + back.wrong},
              {"of_line", nullptr}};
  if (speed > 0) out["of_line"] = std::min(there.gbit_s, back.gbit_s) * 1000 / speed;
  return out;
}

/// What is published must be base64. Hexadecimal digits are, if their number divides by four: a blank fills up.
void publish(Reporter& report, const std::string& key, const json& what) {
  auto text = what.dump();
  report.publish(key, to_hex(text.size() % 2 ? text + ' ' : text));
}

std::optional<json> awaited(Reporter& report, const std::string& key) {
  auto hex = report.await(key);
  auto out = hex ? json::parse(from_hex(*hex), nullptr, false) : json();
  return out.is_object() ? std::optional(out) : std::nullopt;
}

json failed(const std::string& why) { return {{"error", why}}; }

/// As the client: waits for the invitation, measures, and lets everyone know.
json as_client(const Pair& pair, Reporter& report) {
  auto invited = awaited(report, pair.key("invitation"));
  if (!invited) return failed("rank " + std::to_string(pair.server) + " does not listen");
  if (invited->contains("error")) return *invited;
  Invitation to{invited->value("token", std::string(" ")), invited->value("port", 0),
                invited->value("addresses", std::vector<std::string>{})};
  auto measured = measure(pair, to);
  return measured ? *measured : failed(measured.error().what);
}

/// As the server: listens until the client has told everyone what it measured.
json as_server(const Pair& pair, Reporter& report) {
  auto listener = listen_anywhere();
  auto token = new_token();
  if (!listener) return publish(report, pair.key("invitation"), failed(listener.error().what)), failed(listener.error().what);
  json invitation = {{"token", token}, {"port", listener->port}, {"addresses", own_addresses(pair.task.text("interface"))}};
  Server server(std::move(*listener), token, pair.stop_at);
  publish(report, pair.key("invitation"), invitation);
  return awaited(report, pair.key("result")).value_or(failed("rank " + std::to_string(pair.client) + " does not answer"));
}

json run(const Pair& pair, Reporter& report) {
  if (pair.task.rank == pair.server) return as_server(pair, report);
  if (pair.task.rank != pair.client)
    return awaited(report, pair.key("result")).value_or(failed("rank " + std::to_string(pair.client) + " does not answer"));
  auto result = as_client(pair, report);
  publish(report, pair.key("result"), result);
  return result;
}

}  // namespace

/// TCP between the hosts of a group, one pair after the other in a ring: round trip, then args.streams streams for args.seconds in each
/// direction, every word compared. Every rank has the result of every pair. Addresses: all that a host has, or those of args.interface.
/// Gb/s = 10^9 bits/s of what arrived; of_line: the slower direction over the speed of the client's interface, null where it does not tell.
Outcome net_pair(const Task& task, Reporter& report) {
  if (task.world < 2) return {{}, "", "needs a group of at least two hosts"};
  int pairs = task.world == 2 ? 1 : task.world;
  auto budget = static_cast<double>(task.deadline_ms) * 0.9 / pairs;  // ms for one pair
  auto seconds = std::clamp(task.number("seconds", 5), 0.01, std::max(0.01, budget / 1000 / 3));
  auto start = agent::boot_ms();
  Outcome out;
  for (int k = 0; k < pairs; k++) {
    Pair pair{task, k, (k + 1) % task.world, start + static_cast<std::int64_t>(budget * (k + 1)), seconds};
    auto result = run(pair, report);
    if (result.contains("error")) return {{}, "", "pair " + pair.name() + ": " + result.value("error", std::string("?"))};
    out.values["pair"].push_back(pair.name());
    for (auto& [name, value] : result.items()) out.values[name].push_back(value);
  }
  return out;
}

}  // namespace vt::checks
