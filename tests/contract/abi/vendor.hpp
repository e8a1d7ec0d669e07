#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "remote-agent/gpu/library.hpp"

namespace vt::test {

/// Names and numbers that a C or C++ text gives to constants: "NAME = 12" and "#define NAME 0xc".
std::map<std::string, long long> constants_in(const std::string& file);

/// Every constant of tests/doubles/<double_>/abi.hpp that begins with one of `prefixes` has in `header` the same number.
void expect_same_constants(const std::string& double_, const std::string& header, const std::vector<std::string>& prefixes);

/// The first of these libraries that can be opened, by path or name; skips the test if there is none.
#define VT_OPEN_VENDOR(library, ...)                     \
  auto library = ::vt::gpu::open_library({__VA_ARGS__}); \
  if (!library) GTEST_SKIP() << library.error().what

/// Names that it does not have, one a line.
std::string missing_in(const gpu::Library& library, const std::vector<std::string>& names);

}  // namespace vt::test
