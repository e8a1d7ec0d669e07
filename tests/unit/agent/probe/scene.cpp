#include "tests/unit/agent/probe/scene.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

System quiet_system() {
  System s;
  s.uid = [] { return 0U; };
  s.release = [] { return "6.8.0-45-generic"; };
  s.hypervisor = [] { return ""; };
  s.environment = [](const std::string&) { return ""; };
  s.writable = [](const std::string&) { return 0; };
  s.kernel_record = [](const std::string&) { return ENOENT; };
  s.kernel_log = [] { return EPERM; };
  s.sudo = [](System::Limit) { return std::optional<int>(1); };
  s.namespaces = [](System::Limit) { return EPERM; };
  s.http = [](const std::string&, const std::string&, System::Limit) { return Http{ENOENT, 0, ""}; };
  s.kvm = [](const std::string&) { return Kvm{ENOENT, 0}; };
  s.nvml = [](bool, System::Limit) { return Nvml{}; };
  s.connect = [](const std::string&, const std::string&, System::Limit) { return "Connection refused"; };
  s.library_version = [](const std::string&, System::Limit) { return ""; };
  return s;
}

}  // namespace

TempTree::TempTree() {
  char name[] = "/tmp/vt-probe-XXXXXX";
  root_ = ::mkdtemp(name);
}
TempTree::~TempTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::vector<std::string> TempTree::listing() const {
  std::vector<std::string> out;
  for (auto& entry : fs::recursive_directory_iterator(root_)) {
    auto line = entry.path().string();
    if (entry.is_symlink()) line += " -> " + fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file()) line += " = " + contents(entry.path());
    out.push_back(line);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Scene::Scene() : system(quiet_system()) {
  options = {tree_.root(), "/usr/bin:/usr/sbin", ""};
  status("CapEff:\t000001ffffffffff\nCapBnd:\t000001ffffffffff\nSeccomp:\t0\nCpus_allowed_list:\t0-1023");
  file("/proc/self/uid_map", "         0          0 4294967295\n");
  for (auto [kind, inode] : {std::pair{"user", "4026531837"}, {"pid", "4026531836"}, {"uts", "4026531838"}, {"ipc", "4026531839"}})
    link(std::string("/proc/self/ns/") + kind, std::string(kind) + ":[" + inode + "]");
  file("/proc/1/comm", "systemd\n").file("/proc/1/cgroup", "0::/init.scope\n").folder("/run/systemd/system");
  file("/proc/1/stat", "1 (systemd) S 0 1 1 0 -1").file("/proc/1/status", "Uid:\t0\t0\t0\t0\n");
  file("/proc/self/mountinfo", "21 1 0:5 / /proc rw,nosuid - proc proc rw\n");
  file("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse vmx\n");
  for (auto path : {"/usr/bin", "/usr/sbin", "/dev", "/etc", "/sys/bus", "/sys/class", "/sys/kernel", "/sys/module", "/sys/fs"})
    folder(path);
}

Scene& Scene::file(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(tree_.root() + path).parent_path());
  std::ofstream(tree_.root() + path, std::ios::binary) << text;
  return *this;
}

Scene& Scene::program(const std::string& path) {
  file(path, "#!/bin/sh\n");
  ::chmod((tree_.root() + path).c_str(), 0755);
  return *this;
}

Scene& Scene::folder(const std::string& path) {
  fs::create_directories(tree_.root() + path);
  return *this;
}

Scene& Scene::link(const std::string& path, const std::string& target) {
  remove(path);
  fs::create_directories(fs::path(tree_.root() + path).parent_path());
  fs::create_symlink(target, tree_.root() + path);
  return *this;
}

Scene& Scene::remove(const std::string& path) {
  fs::remove_all(tree_.root() + path);
  return *this;
}

Scene& Scene::deny(const std::string& path) { return link(path, fs::path(path).filename().string()); }  // ELOOP

Scene& Scene::status(const std::string& more) {
  std::string path = "/proc/self/status", text = more + "\n";
  for (auto& line : lines(contents(tree_.root() + path)))
    if (text.find(line.substr(0, line.find(':') + 1)) == std::string::npos) text += line + "\n";
  return file(path, text);
}

Scene& Scene::login(unsigned uid) {
  system.uid = [uid] { return uid; };
  return status("CapEff:\t0000000000000000");
}

Scene& Scene::user_namespace() {
  return file("/proc/self/uid_map", "         0       1000          1\n").link("/proc/self/ns/user", "user:[4026532999]");
}

Scene& Scene::pid_namespace() { return link("/proc/self/ns/pid", "pid:[4026532998]"); }

Scene& Scene::gpu(const std::string& address, const std::string& kind, const std::string& vendor) {
  auto device = "/sys/bus/pci/devices/" + address;
  return file(device + "/vendor", vendor + "\n").file(device + "/class", kind + "\n");
}

Scene& Scene::process(int pid, const std::string& comm, unsigned uid, int session, int terminal, const std::string& loginuid) {
  auto folder = "/proc/" + std::to_string(pid);
  auto id = std::to_string(uid);
  file(folder + "/comm", comm + "\n");
  file(folder + "/stat", std::to_string(pid) + " (" + comm + ") S 1 " + std::to_string(pid) + " " + std::to_string(session) + " " +
                             std::to_string(terminal) + " -1");
  file(folder + "/status", "Name:\t" + comm + "\nUid:\t" + id + "\t" + id + "\t" + id + "\t" + id + "\n");
  return file(folder + "/loginuid", loginuid);
}

Host Scene::host() const { return {Files(options.root), system, options, std::chrono::steady_clock::now() + std::chrono::seconds{1}}; }

}  // namespace vt::probe
