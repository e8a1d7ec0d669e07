#include "tests/support/sshd.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

namespace vt::test {

namespace {

namespace fs = std::filesystem;

std::string find_sshd() {
  if (auto given = std::getenv("VAULT_TEST_SSHD")) return given;
  auto set = std::getenv("PATH");
  std::istringstream path((set ? std::string(set) : std::string()) + ":/usr/sbin:/usr/local/sbin");
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/sshd").c_str(), X_OK) == 0) return folder + "/sshd";
  return "";
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A port that was free a moment ago: sshd cannot be told to pick one and say which.
int free_port() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  auto address = loopback(0);
  socklen_t size = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool accepts(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  auto address = loopback(port);
  bool ok = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

/// As root, sshd insists on its unprivileged user and on an empty folder.
Status prepare_for_root() {
  if (geteuid() != 0) return {};
  if (!getpwnam("sshd")) return fail(Errc::not_found, "sshd run by root needs a user 'sshd', which this machine lacks");
  mkdir("/run/sshd", 0755);
  return {};
}

constexpr const char* kClaim = "/tmp/vault-test.claim";

/// Agents claim the machine they are on and leave files there, and servers of several tests share one machine: as root, each
/// gets such places of its own.
void separate_places(const std::string& claim) {
  if (unshare(CLONE_NEWNS) != 0) return;
  mount("", "/", nullptr, MS_REC | MS_SLAVE, nullptr);
  mount(claim.c_str(), kClaim, nullptr, MS_BIND, nullptr);
  for (auto place : {"/var/tmp", "/dev/shm"}) mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

pid_t start_process(const std::string& program, const std::string& config, const std::string& log, const std::string& claim) {
  pid_t pid = fork();
  if (pid != 0) return pid;
  separate_places(claim);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(fd, 2);
  execl(program.c_str(), program.c_str(), "-D", "-e", "-f", config.c_str(), nullptr);
  _exit(127);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator("/proc", ignored)) {
    auto text = read_file(entry.path().string() + "/stat");
    auto after_name = text.rfind(") ");
    if (after_name == std::string::npos) continue;
    std::istringstream rest(text.substr(after_name + 2));
    char state = 0;
    pid_t of = 0;
    if (rest >> state >> of && of == parent && state != 'Z') out.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Sshd>> Sshd::start(const SshdOptions& options) {
  auto program = find_sshd();
  if (program.empty()) return fail(Errc::not_found, "no sshd on this machine");
  VT_CHECK(prepare_for_root());
  std::unique_ptr<Sshd> sshd(new Sshd);
  VT_CHECK(sshd->make_keys());
  Status started;
  for (int attempt = 0; attempt < 3; ++attempt) {  // another process may have taken the port meanwhile
    started = sshd->launch(program, options);
    if (started) return sshd;
  }
  return fail(started.error());
}

Status Sshd::make_keys() {
  auto generate = [&](const std::string& name) { return shell("ssh-keygen -q -t ed25519 -N '' -C test -f " + (folder_ / name)) == 0; };
  if (!generate("host") || !generate("client")) return fail(Errc::not_found, "no ssh-keygen on this machine");
  shell("ssh-keygen -lf " + (folder_ / "host.pub") + " >" + (folder_ / "fingerprint"));
  std::istringstream line(read_file(folder_ / "fingerprint"));
  std::string bits;
  line >> bits >> host_key_;
  fs::create_directory(home());
  return {};
}

Status Sshd::launch(const std::string& program, const SshdOptions& options) {
  port_ = free_port();
  std::string config;
  for (auto& line : options.config) config += line + "\n";
  config += "Port " + std::to_string(port_) + "\nListenAddress 127.0.0.1\nHostKey " + (folder_ / "host") + "\nAuthorizedKeysFile " +
            (folder_ / "client.pub") + "\nSetEnv HOME=" + home() +
            "\nPidFile none\nUsePAM no\nStrictModes no\nUseDNS no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
            "PermitRootLogin yes\nLogLevel VERBOSE\nMaxStartups 200\nMaxSessions 200\n";
  write_file(folder_ / "config", config);
  write_file(folder_ / "claim", "", 0666);
  close(open(kClaim, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  pid_ = start_process(program, folder_ / "config", folder_ / "log", folder_ / "claim");
  for (int i = 0; i < 500; ++i) {
    if (accepts(port_)) return {};
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fail(Errc::internal, "sshd does not start: " + log());
}

Sshd::~Sshd() {
  if (pid_ < 0) return;
  for (auto session : sessions()) kill(session, SIGKILL);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Sshd::host_key_line() const { return read_file(folder_ / "host.pub"); }

HostSpec Sshd::access(int port) const {
  HostSpec host;
  host.address = "127.0.0.1";
  host.port = port ? port : port_;
  host.user = getpwuid(geteuid())->pw_name;
  host.identity = client_key();
  host.host_key = host_key_;
  return host;
}

std::vector<pid_t> Sshd::sessions() const {
  auto out = children_of(pid_);
  for (std::size_t i = 0; i < out.size(); ++i)  // sshd splits itself per connection where it is not root
    for (auto child : children_of(out[i])) out.push_back(child);
  return out;
}

}  // namespace vt::test
