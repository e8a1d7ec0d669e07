#include "providers/runpod/pod_keys.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/model/failpoint.hpp"
#include "providers/private_file.hpp"

namespace vt::runpod {

namespace {

std::string path_of(const std::string& state_dir, const std::string& name) { return state_dir + "/keys/" + name; }

/// What the ledger makes; nothing that leads out of the folder.
bool is_name(const std::string& name) {
  return name.starts_with("vt-") && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

}  // namespace

Result<PodKeys> make_pod_keys(const std::string& state_dir, const std::string& name, const std::string& key_mark) {
  if (!is_name(name)) return fail(Errc::config, "\"" + name + "\" cannot be the name of a pod");
  VT_TRY(SshKey host, new_ssh_key(name));
  VT_TRY(SshKey client, new_ssh_key(name));
  auto path = path_of(state_dir, name);
  VT_FAILPOINT("key.write");
  VT_CHECK(write_private_file(path, client.private_text));
  VT_CHECK(write_private_file(path + ".host", host.fingerprint + "\n" + key_mark + "\n"));
  return PodKeys{std::move(host), std::move(client)};
}

Result<KnownPod> known_pod(const std::string& state_dir, const std::string& name) {
  KnownPod out;
  out.identity = path_of(state_dir, name);
  std::ifstream file(is_name(name) ? out.identity + ".host" : "");
  bool read = std::getline(file, out.fingerprint) && std::getline(file, out.key_mark);
  if (!read || !out.fingerprint.starts_with("SHA256:")) return fail(Errc::not_found, "this machine has no key of the pod " + name);
  return out;
}

std::map<std::string, std::string> known_pods(const std::string& state_dir) {
  constexpr std::string_view kEnd = ".host";
  std::map<std::string, std::string> out;
  std::error_code none;
  for (std::filesystem::directory_iterator entry(state_dir + "/keys", none), end; !none && entry != end; entry.increment(none)) {
    auto name = entry->path().filename().string();
    if (!name.ends_with(kEnd)) continue;
    name.resize(name.size() - kEnd.size());
    if (auto pod = known_pod(state_dir, name)) out[name] = pod->key_mark;
  }
  return out;
}

Status change_key_mark(const std::string& state_dir, const std::string& name, const std::string& key_mark) {
  VT_TRY(KnownPod pod, known_pod(state_dir, name));
  return write_private_file(path_of(state_dir, name) + ".host", pod.fingerprint + "\n" + key_mark + "\n");
}

Duration age_of_keys(const std::string& state_dir, const std::string& name, EpochMs now) {
  struct stat about {};
  if (stat((path_of(state_dir, name) + ".host").c_str(), &about) != 0) return Duration{0};
  return Duration{now - static_cast<EpochMs>(about.st_mtime) * 1000};
}

void forget_pod(const std::string& state_dir, const std::string& name) {
  if (!is_name(name)) return;
  unlink(path_of(state_dir, name).c_str());
  unlink((path_of(state_dir, name) + ".host").c_str());
}

}  // namespace vt::runpod
