#include "providers/gcp/instance_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/ssh_keys.hpp"

namespace vt::gcp {

namespace {

Error file_error(const std::string& path) {
  return {errno == ENOSPC ? Errc::disk_full : Errc::storage, path + ": " + std::strerror(errno)};
}

/// Complete on disk or not there: written beside and renamed.
Status write_private(const std::string& path, const std::string& text) {
  auto beside = path + ".new";
  {
    Fd file(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) return fail(file_error(beside));
    if (fchmod(file.get(), 0600) != 0 || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.get()) != 0)
      return fail(file_error(beside));
  }
  if (rename(beside.c_str(), path.c_str()) != 0) return fail(file_error(path));
  Fd folder(open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || fsync(folder.get()) != 0) return fail(file_error(path));
  return {};
}

}  // namespace

std::string key_path(const std::string& state_dir, const std::string& name) { return state_dir + "/keys/" + name; }

Result<std::string> instance_key(const std::string& state_dir, const std::string& name) {
  auto path = key_path(state_dir, name);
  // The public half is written last, so where it is there is the private one too.
  std::string line;
  if (std::ifstream known(path + ".pub"); std::getline(known, line) && line.starts_with("ssh-ed25519 ")) return line;
  auto folder = state_dir + "/keys";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail(file_error(folder));
  VT_TRY(SshKey key, new_ssh_key(name));
  VT_FAILPOINT("key.write");
  VT_CHECK(write_private(path, key.private_text));
  VT_CHECK(write_private(path + ".pub", key.public_line + "\n"));
  return key.public_line;
}

void forget_instance_key(const std::string& state_dir, const std::string& name) {
  unlink((key_path(state_dir, name) + ".pub").c_str());
  unlink(key_path(state_dir, name).c_str());
}

}  // namespace vt::gcp
