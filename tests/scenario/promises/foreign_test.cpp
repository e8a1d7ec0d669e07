// P3: reap deletes only what is provably ours and expired.
#include <chrono>

#include "orchestrator/store/install_key.hpp"
#include "promise.hpp"

using namespace vt::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kHour = 3600;

class Reaped : public Promise, public testing::WithParamInterface<bool> {
 protected:
  Reaped() : Promise("P3") {}

  /// An installation that exists, and its key.
  void install() {
    begin();
    vault({"run",
           plan_of({"  vm: {provider: gcp, project: rehearsal, machine: e2-standard-2, zones: [us-nowhere1-a], checks: [p.quick]}\n"})});
    auto written = vault({"reap", "--write-key", program->path("key")});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    auto key = vt::read_install_key(program->path("key"));
    ASSERT_TRUE(key) << key.error().what;
    key_ = *key;
  }

  struct Mark {
    std::string name, attempt, token;
    std::int64_t expires;
    json labels(const std::string& install) const {
      return {{"vt-install", install}, {"vt-attempt", attempt}, {"vt-expires", std::to_string(expires)}, {"vt-token", token}};
    }
  };

  /// A mark as this installation would make it, for a lease that ended so many seconds ago.
  Mark mark(const std::string& api, std::int64_t ended_ago, const vt::InstallKey& key) {
    Mark m;
    m.attempt = "planted" + std::string(7, 'a') + std::to_string(10 + ++planted_so_far_);
    m.name = "vt-" + key.install + "-" + m.attempt;
    m.expires = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count() - ended_ago;
    m.token = key.token({key.install, m.attempt, m.name, m.expires * 1000, ""}, api, api == "gcp" ? "rehearsal" : "");
    return m;
  }

  void plant_doubtful(const std::string& api) {
    auto all_but = [&](const char* label, const std::string& value) {
      auto m = mark(api, kHour, key_);
      auto labels = m.labels(key_.install);
      labels[label] = value;
      plant(api, m.name, labels);
    };
    all_but("vt-token", "abcdefghijklmnopqrstuvwxyz");
    all_but("vt-token", "");
    all_but("vt-expires", "soon");
    all_but("vt-expires", std::to_string(mark(api, 2 * kHour, key_).expires));  // not the end that the token is for
    auto renewed = mark(api, -kHour, key_);
    plant(api, renewed.name, renewed.labels(key_.install));
    auto just_over = mark(api, 300, key_);
    plant(api, just_over.name, just_over.labels(key_.install));
    auto used_again = mark(api, kHour, key_);
    plant(api, used_again.name + "x", used_again.labels(key_.install));
    vt::InstallKey other{"otherone", std::string(32, 'k')};
    auto others = mark(api, kHour, other);
    plant(api, others.name, others.labels(other.install));
    auto borrowed = mark(api, kHour, other);
    plant(api, borrowed.name, borrowed.labels(key_.install));  // our id, their key
  }

  std::vector<std::string> command(bool dry) const {
    std::vector<std::string> out{"reap", "--yes"};
    if (GetParam()) out.insert(out.end(), {"--stateless", "--key", program->path("key"), "--account", "rehearsal"});
    if (dry) out.emplace_back("--dry-run");
    return out;
  }

  int ended() const {
    int n = 0;
    for (auto& thing : clouds.things()) n += thing["gone"] != 0;
    return n;
  }

  vt::InstallKey key_;
  int planted_so_far_ = 0;
};

TEST_P(Reaped, DeletesOnlyWhatIsOursAndExpired) {
  install();
  for (std::string api : {"gcp", "runpod"}) {
    plant_doubtful(api);
    for (int i = 0; i < 3; ++i) {
      auto m = mark(api, kHour, key_);
      plant(api, m.name, m.labels(key_.install), true);
    }
  }
  count("strangers", static_cast<int>(clouds.things().size()) - 6);
  auto dry = vault(command(true));
  EXPECT_EQ(dry.exit_code, 5) << dry.out;
  EXPECT_EQ(ended(), 0) << "a dry run deleted";
  auto reaped = vault(command(false));
  EXPECT_EQ(reaped.exit_code, 5) << "what is doubtful is shown: " << reaped.out << reaped.err;
  EXPECT_EQ(ended(), 6) << reaped.out << reaped.err;
  auto seen = books();
  EXPECT_EQ(seen.alive, 0) << seen.leaks << reaped.out;
  EXPECT_EQ(seen.foreign_gone, 0) << reaped.out << clouds.things().dump(1);
  count("scenarios"), count("leaks", seen.alive), count("own_deleted", ended());
}

INSTANTIATE_TEST_SUITE_P(By, Reaped, testing::Bool(), [](auto& test) { return test.param ? "Key" : "Ledger"; });

}  // namespace
