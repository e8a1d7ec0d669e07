#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <set>

#include "orchestrator/model/version.hpp"
#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;

namespace {

std::string readelf(const std::string& options) {
  std::string out;
  auto* pipe = popen(("readelf " + options + " " + agent_path() + " 2>/dev/null").c_str(), "r");
  for (char buffer[4096]; auto n = fread(buffer, 1, sizeof buffer, pipe);) out.append(buffer, n);
  return pclose(pipe) == 0 ? out : "";
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> out;
  std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

}  // namespace

TEST(Binary, StartsOnGlibc235) {
  if (sanitized()) GTEST_SKIP() << "a sanitizer's runtime needs the newer glibc of this machine";
  auto versions = matches(readelf("-V -W"), R"(GLIBC_([0-9.]+))");
  ASSERT_FALSE(versions.empty()) << "readelf said nothing";
  for (auto& version : versions) EXPECT_LE(*vt::Version::parse(version), *vt::Version::parse("2.35"));
}

TEST(Binary, NeedsNothingButGlibc) {
  if (sanitized()) GTEST_SKIP() << "a sanitizer brings libraries of its own";
  auto needed = matches(readelf("-d -W"), R"(NEEDED\)\s+Shared library: \[([^\]]+)\])");
  ASSERT_FALSE(needed.empty());
  for (auto& library : needed)
    EXPECT_TRUE(std::regex_match(library, std::regex(R"((libc|libm|libdl|libpthread|ld-linux-[a-z0-9-]+)\.so\.\d+)"))) << library;
}

TEST(Binary, IsHardened) {
  auto header = readelf("-h -W"), segments = readelf("-l -W"), dynamic = readelf("-d -W");
  EXPECT_NE(header.find("DYN (Position-Independent Executable"), std::string::npos) << header;
  EXPECT_NE(segments.find("GNU_RELRO"), std::string::npos);
  EXPECT_TRUE(std::regex_search(dynamic, std::regex(R"(BIND_NOW|FLAGS_1\).*NOW)")));
  EXPECT_TRUE(std::regex_search(segments, std::regex(R"(GNU_STACK\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+RW\s)"))) << segments;
  EXPECT_NE(readelf("-s -W").find("__stack_chk_fail"), std::string::npos) << "stripped binaries keep it in .dynsym";
}
