#include "remote-agent/checks/gpu_xid_history.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/xid.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

const char* list_of(gpu::XidClass kind) {
  switch (kind) {
    case gpu::XidClass::fatal: return "fatal";
    case gpu::XidClass::warning: return "warnings";
    case gpu::XidClass::program: return "programs";
    case gpu::XidClass::notice: return "notices";
    case gpu::XidClass::unknown: break;
  }
  return "unknown";
}

/// One record a read; EPIPE says that some were overwritten before they were read.
Result<std::string> kernel_log() {
  constexpr std::size_t kMost = 16 * 1024 * 1024;
  agent::Fd log(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  int refused = errno;
  std::string out;
  for (char record[8192]; log && out.size() < kMost;) {
    auto n = read(log.get(), record, sizeof record);
    if (n > 0) out.append(record, static_cast<std::size_t>(n));
    else if (n == 0 || (errno != EPIPE && errno != EINTR)) break;
  }
  if (!log) return fail(Errc::refused, std::string("cannot open the kernel log: ") + std::strerror(refused));
  if (out.empty()) return fail(Errc::refused, "nothing can be read from the kernel log, which proves nothing");
  return out;
}

std::string joined(const json& texts) {
  std::string out;
  for (auto& text : texts) out += (out.empty() ? "" : "; ") + text.get<std::string>();
  return out.empty() ? "none" : out;
}

}  // namespace

json xids_in(const std::string& log) {
  constexpr std::string_view kMark = "NVRM: Xid (";
  json out = {{"fatal", json::array()},
              {"warnings", json::array()},
              {"programs", json::array()},
              {"notices", json::array()},
              {"unknown", json::array()}};
  for (std::size_t at = 0; (at = log.find(kMark, at)) != std::string::npos;) {
    at += kMark.size();
    auto end = log.find("): ", at), line = log.find('\n', at);
    if (end == std::string::npos || end > line) continue;
    auto code = std::atoi(log.c_str() + end + 3);
    auto text = gpu::told(code) + " on " + log.substr(at, end - at);
    auto& list = out[list_of(gpu::xid(code).kind)];
    if (std::find(list.begin(), list.end(), json(text)) == list.end()) list.push_back(text);
  }
  return out;
}

Outcome xid_history(const Task&, Reporter&) {
  auto log = kernel_log();
  if (!log) return {json::object(), "", log.error().what};
  auto found = xids_in(*log);
  for (auto* list : {"warnings", "programs", "notices", "unknown"}) found[list] = joined(found[list]);
  return {std::move(found), "", ""};
}

}  // namespace vt::checks
