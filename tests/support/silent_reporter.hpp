#pragma once
#include "remote-agent/checks/check.hpp"

namespace vt::test {

/// Listens to nothing and hears nothing.
class SilentReporter : public checks::Reporter {
 public:
  void progress(const std::string&, double) override {}
  void metric(const std::string&, double, const std::string&, const std::string&) override {}
  void publish(const std::string&, const std::string&) override {}
  std::optional<std::string> await(const std::string&) override { return std::nullopt; }
};

}  // namespace vt::test
