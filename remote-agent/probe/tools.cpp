#include <sys/stat.h>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {

Answer tool(const Host& host, const std::string& name) {
  auto path = host.options.path.empty() ? host.system.environment("PATH") : host.options.path;
  if (path.empty()) return unknown("PATH is not set");
  Answer hidden;
  auto folders = split(path, ':');
  for (auto& folder : folders) {
    if (folder.empty()) continue;
    auto file = folder + "/" + name;
    auto seen = host.files.stat(file);
    if (!seen.error && S_ISREG(seen.mode) && (seen.mode & 0111) != 0) return yes(file);
    if (seen.error && !absent(seen.error)) hidden = unreadable(file, seen.error);
  }
  return hidden.evidence.empty()
             ? no(name + " is in none of the " + plural(static_cast<std::int64_t>(folders.size()), "folder") + " on PATH")
             : hidden;
}

}  // namespace vt::probe
