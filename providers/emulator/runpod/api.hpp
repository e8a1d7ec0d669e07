#pragma once
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "providers/emulator/fields.hpp"
#include "providers/emulator/runpod/catalogue.hpp"
#include "providers/emulator/world.hpp"

// Inside the emulated RunPod. nlohmann's header is here because nobody outside this folder includes this one.
namespace vt::emulator::runpod {

using nlohmann::json;
using Refusal = std::optional<Reply>;

/// The messages of the API that clients send.
const Fields& fields();
/// 422 for a body that is not of that message, or nothing; `body` is what was sent.
Refusal refuse_body(const Call&, const std::string& message, json& body);

/// `{"title","status","detail"[,"errors"]}`.
Reply problem(int status, const std::string& detail, const std::vector<std::string>& errors = {});
Reply front_error(int status);  ///< an ErrorMaker
Reply no_capacity();

/// "2026-11-20T08:30:00Z"
std::string stamp(EpochMs);
/// Micro-dollars as the API's dollars.
double dollars(std::int64_t micro);

/// A start command as Docker gets it: words parted by blanks, with a shell's quotes and backslashes.
std::vector<std::string> words_of(const std::string& args);

struct Pod {
  std::string id, name;
  json body;  ///< the request that made it, changed by PATCH; what was left out is filled in
  std::string status = "PROVISIONING";
  std::string key;  ///< the pod's own API key: it may read and end this pod
  std::string center, cuda;
  std::int64_t hourly = 0;  ///< micro-dollars while it runs, disk included
  EpochMs created = 0, started = 0;
  int life = 0;                                         ///< raised whenever a plan made for it by a timer becomes void
  int shown_port = 0;                                   ///< the public port of 22 as the API tells it while the pod runs; 0: none yet
  bool hidden = false;                                  ///< not seen by get and list, yet
  bool foreign = false;                                 ///< a stranger's, with nothing behind it
  bool in_cluster = false;                              ///< shown in lists only to who asks for such
  bool placed = false;                                  ///< its host was started before
  FaultSet faults;                                      ///< those its create met
  std::vector<std::pair<EpochMs, std::string>> events;  ///< its system log

  [[nodiscard]] int gpus() const { return body.value("/gpu/count"_json_pointer, 0); }
  [[nodiscard]] bool wants_ssh() const;
};

struct Volume {
  std::string id, name, center, type;
  int size_gb = 0;
};

/// The state of the emulated RunPod. All of it under World::mutex.
class Account {
 public:
  explicit Account(World& w) : world(w) {}
  World& world;
  std::map<std::string, std::shared_ptr<Pod>> pods;  ///< by id; those that are gone are not in it
  std::map<std::string, Volume> volumes;
  std::vector<std::string> ssh_keys;

  /// Takes in a pod and begins its life.
  std::shared_ptr<Pod> add(const Call&, json body, const std::string& center);
  void start(const std::shared_ptr<Pod>&);  ///< from EXITED
  void stop(const std::shared_ptr<Pod>&);
  void restart(const std::shared_ptr<Pod>&);
  void remove(const std::shared_ptr<Pod>&, const std::string& how);
  bool end(const std::string& id, const std::string& how);  ///< Controls::end
  Result<std::string> foreign(const json&);                 ///< Controls::foreign
  [[nodiscard]] json show(const Pod&) const;                ///< as the API shows it
  std::string new_id();
  /// Quotas as the API tells them with every reply; nobody is ever turned away because of them.
  std::map<std::string, std::string> rate_headers();

 private:
  void later(const std::shared_ptr<Pod>&, Duration, std::function<void()> what);
  void run(const std::shared_ptr<Pod>&);
  void came_up(const std::shared_ptr<Pod>&);
  void publish_port(const std::shared_ptr<Pod>&);
  void watch(const std::shared_ptr<Pod>&);
  [[nodiscard]] HostOrder order_for(Pod&) const;

  std::int64_t minute_ = -1;
  int calls_ = 0;  ///< in that emulated minute
};

/// Whose key a call carries. Null pod: the account's.
struct Caller {
  std::shared_ptr<Pod> pod;
};

/// Routes by concept; each holds the account.
void add_pods(const std::shared_ptr<Account>&);
void add_logs(const std::shared_ptr<Account>&);
void add_catalogue(const std::shared_ptr<Account>&);
void add_account(const std::shared_ptr<Account>&);
void add_billing(const std::shared_ptr<Account>&);
void add_volumes(const std::shared_ptr<Account>&);

/// POST /v2/pods, once its caller is known.
Reply create_pod(Account&, const Call&);

/// A handler that is called under the lock, once the caller is known; pods' own keys come no further than to their pod's routes.
using AccountHandler = std::function<Reply(Account&, const Call&)>;
void route(const std::shared_ptr<Account>&, const std::string& method, const std::string& pattern, CallKind, AccountHandler);

}  // namespace vt::emulator::runpod
