#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/fake_gpus.hpp"

namespace vt::test {

/// Runs `body` in a process of its own that sees these GPUs: a driver library is opened once in the life of a process, and what hangs in
/// it ends with the process.
template <class Body>
void in_child(FakeGpus& gpus, const Body& body) {
  auto environment = gpus.environment();
  auto pid = fork();
  if (pid == 0) {
    for (auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0) << "the child found something wrong, or died";
}

}  // namespace vt::test
