#include "providers/container/pod.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/container/view.hpp"

namespace vt {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string folder_of_pods(const std::string& state_dir) { return state_dir + "/pods"; }

}  // namespace

Login current_login() {
  Login login{geteuid(), getegid(), "vt", ""};
  char buffer[4096];
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(login.uid, &entry, buffer, sizeof buffer, &found) == 0 && found) login.name = found->pw_name;
  login.home = login.uid == 0 ? "/root" : "/home/" + login.name;
  return login;
}

bool is_pod_name(const std::string& name) {
  return name.starts_with("vt-") && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

std::string pod_folder(const std::string& state_dir, const std::string& name) { return folder_of_pods(state_dir) + "/" + name; }

Result<std::vector<std::string>> pod_folders(const std::string& state_dir) {
  std::vector<std::string> names;
  std::error_code error;
  auto entries = fs::directory_iterator(folder_of_pods(state_dir), error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error))
    if (auto name = entries->path().filename().string(); is_pod_name(name)) names.push_back(name);
  if (error) return fail(Errc::storage, folder_of_pods(state_dir) + ": " + error.message());
  return names;
}

Status write_new_file(const std::string& path, const std::string& text, unsigned mode) {
  Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  bool written = fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fchmod(fd.get(), mode) == 0;
  if (!written) return fail(errno == ENOSPC ? Errc::disk_full : Errc::storage, path + ": " + std::strerror(errno));
  return {};
}

Status write_owner(const Pod& pod) {
  json j{{"name", pod.owner.name},   {"install", pod.owner.install},   {"attempt", pod.owner.attempt},  {"expires", pod.owner.expires},
         {"token", pod.owner.token}, {"backend", pod.backend},         {"address", pod.access.address}, {"port", pod.access.port},
         {"user", pod.access.user},  {"host_key", pod.access.host_key}};
  // Complete or not there: a half-written one would hide whose pod it is.
  VT_CHECK(write_new_file(pod.folder + "/owner.new", j.dump(2) + "\n", 0600));
  if (rename((pod.folder + "/owner.new").c_str(), (pod.folder + "/owner.json").c_str()) != 0)
    return fail(Errc::storage, pod.folder + "/owner.json: " + std::strerror(errno));
  return {};
}

Result<Pod> read_pod(const std::string& folder) try {
  std::string file = folder + "/owner.json";
  if (access(file.c_str(), F_OK) != 0) return fail(Errc::not_found, file + ": " + std::strerror(errno));
  auto j = json::parse(read_text(file));
  Pod pod;
  pod.folder = folder;
  pod.owner = {j.at("install"), j.at("attempt"), j.at("name"), j.at("expires"), j.at("token")};
  pod.backend = j.at("backend");
  pod.access.address = j.at("address");
  pod.access.port = j.at("port");
  pod.access.user = j.at("user");
  pod.access.host_key = j.at("host_key");
  pod.access.identity = pod.identity();
  pod.access.exclusive = true;
  return pod;
} catch (const json::exception& e) { return fail(Errc::storage, folder + "/owner.json: " + e.what()); }

std::string log_tail(const Pod& pod) {
  auto lines = split(read_text(pod.log()), '\n');
  lines.erase(lines.begin(), lines.end() - std::min<std::ptrdiff_t>(std::ssize(lines), 3));
  return printable(join(lines, "; "));
}

Status remove_pod_folder(const std::string& folder) {
  // Nothing of ours is mounted outside the pods' own namespaces; should something be there, removing would go through it.
  auto mounted = mounts_below(folder);
  for (auto it = mounted.rbegin(); it != mounted.rend(); ++it) umount2(it->c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  if (!mounted.empty() && !mounts_below(folder).empty())
    return fail(Errc::storage, folder + ": something is mounted below it: " + mounted.front());
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return fail(Errc::storage, folder + ": " + error.message());
  return {};
}

}  // namespace vt
