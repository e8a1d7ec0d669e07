#pragma once
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "orchestrator/engine/lifecycle.hpp"
#include "tests/unit/engine/fake_provider.hpp"

namespace vt {

/// A ledger, and a provider whose cloud does as it is told.
class Lifecycle : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/vt-lifecycle-XXXXXX";
    folder_ = mkdtemp(pattern);
    store_ = Store::open(folder_, clock_).value().release();
    ledger_ = Ledger::open(folder_, clock_).value().release();
    auto make = [this](const std::string& name) -> std::unique_ptr<Provider> {
      return name == "fake" ? std::make_unique<FakeProvider>(cloud_) : nullptr;
    };
    context_ = std::make_unique<Context>(Context{*store_, *ledger_, clock_, stop_, {}, make, {"fake"}, {}});
    layer_.name = "pod";
    layer_.provider = "fake";
  }
  void TearDown() override {
    delete ledger_;
    delete store_;
    std::filesystem::remove_all(folder_);
  }

  Result<Allocation> get(Money cap = {}) {
    FakeProvider provider(cloud_);
    HostsWanted wanted{"run1", {}, time_, Duration{1000}, [this](const std::string& text) { told_ += text + "\n"; }};
    if (cap.micro > 0) wanted.caps.layer = cap;
    return acquire(*context_, provider, layer_, wanted);
  }
  Resource only_row() {
    auto rows = ledger_->all().value();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? Resource{} : rows.front();
  }
  Status give_back() {
    FakeProvider provider(cloud_);
    return release(*context_, provider, only_row().owner.name);
  }
  /// As if the process that holds the row had died. The ledger itself lets nobody say so.
  void orphan() {
    SQLite::Database db(folder_ + "/ledger.db", SQLite::OPEN_READWRITE);
    db.exec("UPDATE resource SET holder = '1:1:gone'");
  }

  /// Things happen while it sleeps.
  struct EventfulClock final : ManualClock {
    std::function<void()> on_sleep = [] {};
    void sleep(Duration d) const override { ManualClock::sleep(d), on_sleep(); }
  };

  std::string folder_;
  EventfulClock clock_;
  StopFlag stop_;
  FakeCloud cloud_;
  Store* store_ = nullptr;
  Ledger* ledger_ = nullptr;
  std::unique_ptr<Context> context_;
  Layer layer_;
  std::optional<Duration> time_;  ///< of the layer
  std::string told_;
};

}  // namespace vt
