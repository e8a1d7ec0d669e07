#include <cstdio>
#include <exception>

#include "orchestrator/cli/commands.hpp"

/// A broken program throws; everything else is a value. 70 is no verdict about a host.
int main(int argc, char** argv) try { return vt::run_cli(argc, argv); } catch (const std::exception& e) {
  std::fprintf(stderr, "vault-test: internal error: %s\n", e.what());
  return 70;
}
