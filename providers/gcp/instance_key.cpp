#include "providers/gcp/instance_key.hpp"

#include <unistd.h>

#include <fstream>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/private_file.hpp"
#include "providers/ssh_keys.hpp"

namespace vt::gcp {

std::string key_path(const std::string& state_dir, const std::string& name) { return state_dir + "/keys/" + name; }

Result<std::string> instance_key(const std::string& state_dir, const std::string& name) {
  auto path = key_path(state_dir, name);
  // The public half is written last, so where it is there is the private one too.
  std::string line;
  if (std::ifstream known(path + ".pub"); std::getline(known, line) && line.starts_with("ssh-ed25519 ")) return line;
  VT_TRY(SshKey key, new_ssh_key(name));
  VT_FAILPOINT("key.write");
  VT_CHECK(write_private_file(path, key.private_text));
  VT_CHECK(write_private_file(path + ".pub", key.public_line + "\n"));
  return key.public_line;
}

void forget_instance_key(const std::string& state_dir, const std::string& name) {
  unlink((key_path(state_dir, name) + ".pub").c_str());
  unlink(key_path(state_dir, name).c_str());
}

}  // namespace vt::gcp
