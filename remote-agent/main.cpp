#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "remote-agent/build_id.hpp"
#include "remote-agent/protocol/frames.hpp"
#include "remote-agent/session.hpp"
#include "remote-agent/worker.hpp"

namespace {

int usage() {
  std::fputs("usage: vault-test-agent --stdio [--root DIR] | --version\n", stderr);
  return 2;
}

int run(const std::vector<std::string_view>& args) {
  using namespace vt::agent;
  if (args.empty()) return usage();
  auto build = std::string(VT_VERSION " ") + build_id();
  if (args[0] == "--version" && args.size() == 1)
    return std::printf("vault-test-agent %s protocol %d\n", build.c_str(), vt::protocol::kVersion) < 0;
  if (args[0] == "--worker" && args.size() == 2) return work(std::string(args[1]));
  if (args[0] == "--gpu-worker" && args.size() == 3) return gpu_work(std::string(args[1]), std::string(args[2]));
  if (args[0] == "--stdio" && args.size() == 1) return serve({"", build});
  if (args[0] == "--stdio" && args.size() == 3 && args[1] == "--root") return serve({std::string(args[2]), build});
  return usage();
}

}  // namespace

int main(int argc, char** argv) try { return run({argv + 1, argv + argc}); } catch (const std::exception& e) {
  std::fprintf(stderr, "vault-test-agent: %s\n", e.what());
  return 70;
}
