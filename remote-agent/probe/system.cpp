#include "remote-agent/probe/system.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "remote-agent/base/libraries.hpp"
#include "remote-agent/probe/answer.hpp"
#include "remote-agent/probe/child.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

using Clock = std::chrono::steady_clock;
using Limit = System::Limit;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "";
}

std::string hypervisor_signature() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kHypervisorPresent = 1U << 31;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kHypervisorPresent) == 0) return "";
  __cpuid(0x40000000, a, b, c, d);
  std::array<unsigned, 3> words{b, c, d};
  std::string text(reinterpret_cast<const char*>(words.data()), sizeof words);
  return text.substr(0, text.find('\0'));
#else
  return "";
#endif
}

std::string environment_variable(const std::string& name) {
  auto value = ::getenv(name.c_str());
  return value ? value : "";
}

int may_write(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 ? 0 : errno; }

int read_kernel_record(const std::string& path) {
  Descriptor log(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!log.open()) return errno;
  struct stat s {};
  bool is_kmsg = ::fstat(log.get(), &s) == 0 && S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 11);
  if (!is_kmsg) return ENODEV;  // some containers put a console or /dev/null there
  std::array<char, 8192> record{};
  for (;;) {
    if (::read(log.get(), record.data(), record.size()) >= 0) return 0;
    if (errno != EPIPE && errno != EINTR) return errno;  // EPIPE: that record was overwritten meanwhile, the next one is read
  }
}

int read_kernel_log() {
  constexpr int kReadAll = 3;  // SYSLOG_ACTION_READ_ALL: reads without removing
  std::array<char, 256> text{};
  return ::klogctl(kReadAll, text.data(), static_cast<int>(text.size())) >= 0 ? 0 : errno;
}

void run_sudo(int out) {
  pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sudo", "sudo", "-n", "true", nullptr);
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return;
  say(out, std::to_string(WEXITSTATUS(status)));
}

std::optional<int> ask_sudo(Limit limit) {
  auto status = integer(in_child(run_sudo, limit).text);
  if (!status) return std::nullopt;
  return static_cast<int>(*status);
}

bool put(const char* path, const std::string& text) {
  Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.open() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// unshare alone is not enough: with AppArmor's restriction it succeeds, but the new user has no rights in its namespace.
int make_namespaces() {
  auto uid = std::to_string(::geteuid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  if (!put("/proc/self/setgroups", "deny") && errno != ENOENT) return errno;
  if (!put("/proc/self/uid_map", "0 " + uid + " 1")) return errno;
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? 0 : errno;  // seen by this child only
}

int try_namespaces(Limit limit) {
  auto error = integer(in_child([](int out) { say(out, std::to_string(make_namespaces())); }, limit).text);
  return error ? static_cast<int>(*error) : ETIMEDOUT;
}

/// 0 = readable or writable in time.
int wait_for(int fd, short events, Clock::time_point until) {
  for (;;) {
    auto left = std::chrono::ceil<Limit>(until - Clock::now()).count();
    pollfd p{fd, events, 0};
    int ready = left > 0 ? ::poll(&p, 1, static_cast<int>(left)) : 0;
    if (ready > 0) return 0;
    if (ready == 0) return ETIMEDOUT;
    if (errno != EINTR) return errno;
  }
}

int read_reply(int fd, Clock::time_point until, std::string& reply) {
  constexpr std::size_t kMost = 4 * 1024 * 1024;
  while (reply.size() < kMost) {
    if (int error = wait_for(fd, POLLIN, until)) return error;
    std::array<char, 16384> part{};
    auto n = ::recv(fd, part.data(), part.size(), 0);
    if (n == 0) return 0;
    if (n < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (n > 0) reply.append(part.data(), static_cast<std::size_t>(n));
  }
  return EMSGSIZE;
}

Http parse_reply(const std::string& reply) {
  auto first = words(reply.substr(0, reply.find("\r\n")));
  auto status = first.size() > 1 ? integer(first[1]) : std::nullopt;
  auto body = reply.find("\r\n\r\n");
  if (!reply.starts_with("HTTP/1.") || !status || body == std::string::npos) return {EPROTO, 0, ""};
  return {0, static_cast<int>(*status), reply.substr(body + 4)};
}

Http get_over_socket(const std::string& path, const std::string& target, Limit limit) {
  auto until = Clock::now() + limit;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {ENAMETOOLONG, 0, ""};
  std::copy(path.begin(), path.end(), address.sun_path);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return {errno, 0, ""};
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {errno, 0, ""};
  // 1.0: the reply ends with the connection and is never chunked.
  std::string request = "GET " + target + " HTTP/1.0\r\nHost: localhost\r\n\r\n", reply;
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return {errno, 0, ""};
  if (int error = read_reply(socket.get(), until, reply)) return {error, 0, ""};
  return parse_reply(reply);
}

Kvm open_kvm(const std::string& path) {
  Descriptor kvm(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!kvm.open()) return {errno, 0};
  return {0, ::ioctl(kvm.get(), KVM_GET_API_VERSION, 0)};
}

template <class F>
F* symbol(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

/// Empty if one of them cannot be asked.
std::vector<void*> nvml_gpus(void* library) {
  auto count = symbol<int(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  auto handle = symbol<int(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
  unsigned n = 0;
  if (!count || !handle || count(&n) != 0) return {};
  std::vector<void*> gpus(n);
  for (unsigned i = 0; i < n; ++i)
    if (handle(i, &gpus[i]) != 0) return {};
  return gpus;
}

/// Says "capability M.N", the lowest, if every GPU has one.
void say_capability(int out, void* library, const std::vector<void*>& gpus) {
  auto ask = symbol<int(void*, int*, int*)>(library, "nvmlDeviceGetCudaComputeCapability");
  std::pair<int, int> lowest{1000, 0};
  for (auto* gpu : gpus) {
    std::pair<int, int> own;
    if (!ask || ask(gpu, &own.first, &own.second) != 0) return;
    lowest = std::min(lowest, own);
  }
  if (!gpus.empty()) say(out, "capability " + std::to_string(lowest.first) + "." + std::to_string(lowest.second) + "\n");
}

/// Says "peers N" if every pair of GPUs has an answer.
void say_peers(int out, void* library, const std::vector<void*>& gpus) {
  auto peer = symbol<int(void*, void*, int, int*)>(library, "nvmlDeviceGetP2PStatus");
  if (!peer) return;
  int peers = 0;
  constexpr int kRead = 0, kOk = 0;  // NVML_P2P_CAPS_INDEX_READ, NVML_P2P_STATUS_OK
  for (auto* from : gpus)
    for (auto* to : gpus) {
      int status = 0;
      if (from == to) continue;
      if (peer(from, to, kRead, &status) != 0) return;
      peers += status == kOk;
    }
  say(out, "peers " + std::to_string(peers) + "\n");
}

/// Says "missing", or "broken TEXT", or "version V" and then "init N", "capability M.N" and "peers N".
void ask_nvml_library(int out, bool init) {
  auto library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::string error = ::dlerror();
    bool missing = error.starts_with("libnvidia-ml.so.1: cannot open shared object file: No such file");
    return say(out, missing ? "missing\n" : "broken " + error + "\n");
  }
  std::array<char, 128> version{};
  auto get_version = symbol<int(char*, unsigned)>(library, "nvmlSystemGetNVMLVersion");  // needs no initialisation
  if (!get_version || get_version(version.data(), version.size()) != 0) return say(out, "broken it does not tell its version\n");
  say(out, "version " + std::string(version.data()) + "\n");
  constexpr unsigned kNoGpusIsFine = 1, kNoAttach = 2;
  auto start = symbol<int(unsigned)>(library, "nvmlInitWithFlags");
  if (!init || !start) return;
  int code = start(kNoGpusIsFine | kNoAttach);
  say(out, "init " + std::to_string(code) + "\n");
  if (code != 0) return;
  auto gpus = nvml_gpus(library);
  say_capability(out, library, gpus);
  say_peers(out, library, gpus);
}

Nvml ask_nvml(bool init, Limit limit) {
  auto said = in_child([init](int out) { ask_nvml_library(out, init); }, limit);
  using S = Nvml::State;
  if (said.text == "missing\n") return {S::missing, "", "", std::nullopt};
  if (auto trouble = after(said.text, "broken ")) return {S::broken, *trouble, "", std::nullopt};
  auto version = after(said.text, "version ");
  if (!version)
    return {
        S::broken, said.finished ? "loading it crashed" : "loading it took longer than " + std::to_string(limit.count()) + " ms", "", {}};
  Nvml out{S::loaded, "", *version, std::nullopt};
  if (auto code = integer(after(said.text, "init ").value_or(""))) out.init = static_cast<int>(*code);
  out.capability = after(said.text, "capability ").value_or("");
  if (auto peers = integer(after(said.text, "peers ").value_or(""))) out.peers = static_cast<int>(*peers);
  return out;
}

std::string connect_now(const std::string& host, const std::string& port, Limit limit) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found)) return ::gai_strerror(error);
  std::string trouble = "no address";
  for (auto until = Clock::now() + limit; found; found = found->ai_next) {
    Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.open()) continue;
    int error = ::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) error = wait_for(socket.get(), POLLOUT, until);
    socklen_t size = sizeof error;
    if (error == 0) ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) return "";
    trouble = why(error);
  }
  return trouble;  // the list is not freed: this is a child that ends now
}

/// In a child because name look-ups have no deadline of their own.
std::string try_connect(const std::string& host, const std::string& port, Limit limit) {
  auto said = in_child([&](int out) { say(out, "said " + connect_now(host, port, limit)); }, limit);
  if (!said.text.starts_with("said ")) return "no answer within " + std::to_string(limit.count()) + " ms";
  return said.text.substr(5);
}

/// In a child because opening foreign libraries runs their code.
std::string ask_library(const std::string& path, Limit limit) {
  auto ask = [&](int out) {
    if (auto* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) say(out, agent::told_version(handle));
  };
  return in_child(ask, limit).text;
}

}  // namespace

System real_system() {
  return {[] { return static_cast<unsigned>(::geteuid()); },
          kernel_release,
          hypervisor_signature,
          environment_variable,
          may_write,
          read_kernel_record,
          read_kernel_log,
          ask_sudo,
          try_namespaces,
          get_over_socket,
          open_kvm,
          ask_nvml,
          try_connect,
          ask_library};
}

}  // namespace vt::probe
