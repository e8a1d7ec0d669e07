#pragma once
#include <string>
#include <vector>

#include "tests/support/fake_gpus.hpp"
#include "tests/support/program.hpp"

namespace vt::test {

/// This machine with GPUs that do not exist, as a user's command finds it: a private mount namespace in which the kernel module's files,
/// the device nodes and NVIDIA's libraries are there. Everything else is the real thing: program, local provider, agent, catalogue, store.
class FakeHost {
 public:
  explicit FakeHost(int gpus, const std::string& model = "NVIDIA GeForce RTX 5090");

  FakeGpus gpus;
  /// `vault-test` with these arguments.
  Ended run(const std::vector<std::string>& arguments);
  /// `vault-test run` of a plan with this one check and `params` for it ("{mib: 1}").
  Ended check(const std::string& id, const std::string& params = "");
  std::string plan(const std::string& text) { return program_.plan(text); }

 private:
  void write_scripts();
  TempDir folder_;
  Program program_;
};

/// Why there can be no such host here; empty if there can.
std::string why_no_fake_host();

}  // namespace vt::test
