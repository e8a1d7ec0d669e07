#include "orchestrator/host/resolve.hpp"

#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using Addresses = Result<std::vector<SocketAddress>>;

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::string reason(int code) { return code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(code); }

Addresses look_up(const std::string& name, int port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  int code = getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &raw);
  if (code != 0) {
    auto kind = code == EAI_AGAIN || code == EAI_SYSTEM ? Errc::transport : Errc::not_found;
    return fail(kind, "name: no address for '" + printable(name) + "' (" + reason(code) + "); check the address in the plan");
  }
  std::unique_ptr<addrinfo, FreeAddresses> list(raw);
  std::vector<SocketAddress> out;
  for (auto at = list.get(); at; at = at->ai_next) {
    SocketAddress address;
    address.size = at->ai_addrlen;
    std::memcpy(&address.bytes, at->ai_addr, at->ai_addrlen);
    out.push_back(address);
  }
  return out;
}

/// Shared with the helper thread, which may still be in the resolver when nobody waits for it any more.
struct Lookup {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<Addresses> answer;
};

void start_lookup(const std::shared_ptr<Lookup>& lookup, const std::string& name, int port) {
  std::thread([lookup, name, port] {
    auto answer = look_up(name, port, 0);
    std::lock_guard lock(lookup->mutex);
    lookup->answer = std::move(answer);
    lookup->done.notify_one();
  }).detach();
}

}  // namespace

std::string SocketAddress::text() const {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&bytes), size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) !=
      0)
    return "unknown address";
  return bytes.ss_family == AF_INET6 ? "[" + std::string(host) + "]:" + port : std::string(host) + ":" + port;
}

Addresses resolve(const std::string& name, int port, Deadline deadline) {
  if (auto numeric = look_up(name, port, AI_NUMERICHOST)) return numeric;
  auto lookup = std::make_shared<Lookup>();
  try {
    start_lookup(lookup, name, port);
  } catch (const std::system_error& e) { return fail(Errc::internal, std::string("name: no thread for the resolver: ") + e.what()); }
  std::unique_lock lock(lookup->mutex);
  if (!lookup->done.wait_until(lock, deadline.at(), [&] { return lookup->answer.has_value(); }))
    return fail(Errc::timeout, "name: no answer about '" + printable(name) + "' in time; is the name server reachable?");
  return *std::move(lookup->answer);
}

}  // namespace vt
