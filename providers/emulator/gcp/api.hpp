#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "providers/base64.hpp"
#include "providers/emulator/fields.hpp"
#include "providers/emulator/gcp/catalogue.hpp"
#include "providers/emulator/world.hpp"

// Inside the emulated Compute Engine. Resources are kept as the JSON that the API shows; nlohmann's header is here because nobody outside
// this folder includes this one.
namespace vt::emulator::gcp {

using nlohmann::json;

/// The messages of the API that clients send.
const Fields& fields();

/// The error envelope, `{"error":{code,message,errors:[{message,domain,reason}]}}`.
Reply error(int status, const std::string& reason, const std::string& message);
Reply front_error(int status);             ///< an ErrorMaker
Reply not_found(const std::string& path);  ///< "projects/p/zones/z/instances/i"
/// The API's answer to a body that is not of that message, or nothing.
std::optional<Reply> refuse_body(const Call&, const std::string& message, json& body);

/// One page of `rows` (which have a "name"), filtered by the query's `filter`, ordered by name.
Reply list_reply(const Call&, const std::string& kind, const std::string& path, const std::vector<json>& rows);
/// The same over zones: rows by zone; each zone's list is called `what` ("instances").
Reply aggregated_reply(const Call&, const std::string& kind, const std::string& path, const std::string& what,
                       const std::map<std::string, std::vector<json>>& rows);
/// Whether a row passes a filter: `a.b = "c"`, `!=`, `:` (contains; `:*` is there), `eq` and `ne` (regular expressions), joined by AND or
/// blanks, in brackets or not. nullopt: not understood.
std::optional<bool> passes(const std::string& filter, const json& row);

/// Google's time: "2026-11-20T08:30:00.123-08:00" (UTC here).
std::string stamp(EpochMs);
std::string last_segment(const std::string& url);

struct Instance {
  std::string id, project, zone, name;
  json body;
  int life = 0;         ///< raised whenever a plan made for it by a timer becomes void
  bool hidden = false;  ///< not seen by get and list, yet
  bool stuck = false;   ///< runs, but its guest never comes up
  bool spot = false;
  bool preempted = false;
  bool going = false;                                               ///< STOPPING, and removed after that: nothing can hasten or delay it
  bool started = false;                                             ///< its host has been started before
  std::string console;                                              ///< what the emulator says on its serial port
  std::string address;                                              ///< of 127.0.0.0/8, where its guest answers
  std::map<std::string, std::map<std::string, std::string>> guest;  ///< guest attributes: namespace -> key -> value
  const MachineType* machine = nullptr;
  FaultSet faults;  ///< those its create met

  [[nodiscard]] std::string path() const { return "projects/" + project + "/zones/" + zone + "/instances/" + name; }
  [[nodiscard]] std::string metadata(const std::string& key) const;  ///< empty if there is none
};

struct Disk {
  std::string id, project, zone, name;
  json body;
};

struct Image {
  std::string id, project, name;
  json body;
};

struct Operation {
  std::string project, scope;  ///< "zones/us-central1-b", "global"
  json body;
};

/// What an operation ends with: nothing, or `error`, `httpErrorStatusCode` and `httpErrorMessage` of the operation.
using Outcome = std::optional<json>;

class Engine;
/// The "quotas" of a project or region, as far as the service tells them.
json quotas_json(const Engine&, const std::string& project, const std::string& region);

/// The state of the emulated Compute Engine. All of it under World::mutex.
class Engine {
 public:
  explicit Engine(World& w) : world(w) {}
  World& world;

  // By path without a leading "/": "projects/p/zones/z/instances/i".
  std::map<std::string, std::shared_ptr<Instance>> instances;
  std::map<std::string, std::shared_ptr<Disk>> disks;
  std::map<std::string, std::shared_ptr<Image>> images;
  std::map<std::string, std::shared_ptr<Operation>> operations;

  [[nodiscard]] std::string url(const std::string& path) const;      ///< of a path as above
  [[nodiscard]] static std::string path_of(const std::string& url);  ///< the reverse; also takes partial URLs
  std::string new_id();                                              ///< 19 digits
  std::string new_fingerprint();
  std::string new_address();

  /// An operation on `target` in `scope` that takes that much emulated time; `at_end` then does what is to be done, under the lock. The
  /// reply is the operation; for a requestId that was seen before, the earlier one, and nothing happens.
  Reply begin(const Call&, const std::string& project, const std::string& scope, const std::string& type, const std::string& target,
              const std::string& target_id, Duration length, std::function<Outcome()> at_end);
  /// The operation that this request began earlier, if it is a repetition; 400 if its requestId is none.
  [[nodiscard]] std::optional<Reply> repeated(const Call&) const;
  /// What the service did by itself: DONE already, by "system".
  void record(const Instance&, const std::string& type, const std::string& message);

  // The lives of instances; see instance_life.cpp.
  void run(const std::shared_ptr<Instance>&);  ///< RUNNING from now on: meter, guest, the end of its time
  /// STOPPING; after the usual time TERMINATED, or gone if `removed`.
  void halt(const std::shared_ptr<Instance>&, const std::string& how, bool removed);
  void remove(const std::shared_ptr<Instance>&, const std::string& how);  ///< at once, with its auto-delete disks
  /// Calls `what` later, if the instance still leads the same life then.
  void later(const std::shared_ptr<Instance>&, Duration, std::function<void()> what);
  void remember(Instance&, const Call&, bool foreign);      ///< enters it in the books
  bool end(const std::string& id, const std::string& how);  ///< Controls::end
  Result<std::string> foreign(const json&);                 ///< Controls::foreign

  /// A disk from the body of disks.insert; `name`, and what is not said filled in.
  std::shared_ptr<Disk> add_disk(const Call&, const std::string& project, const Zone&, json body, bool foreign = false);
  std::shared_ptr<Image> add_image(const Call&, const std::string& project, json body, std::int64_t gigabytes, bool foreign = false);
  void remove_disk(const std::string& path, const std::string& how);
  /// The disk size of an image in GB by URL, family URLs included; nullopt: there is none.
  [[nodiscard]] std::optional<std::int64_t> image_size(const std::string& url) const;

  struct Usage {
    double limit = 0, used = 0;
  };
  /// Quota by metric; region empty: the project's own. A metric that is not in it is not told.
  [[nodiscard]] std::map<std::string, Usage> quota(const std::string& project, const std::string& region) const;
  /// What an instance of this kind would break; empty if nothing.
  [[nodiscard]] std::string over_quota(const std::string& project, const Zone&, const MachineType&, bool spot) const;

  // Tokens: issued ones and until when (real time).
  std::map<std::string, EpochMs> tokens;
  std::string new_token();
  [[nodiscard]] std::optional<Reply> refuse_caller(const Call&);  ///< 401, or nothing

 private:
  std::map<std::string, std::string> request_ids_;  ///< "project/requestId" -> operation
  std::uint64_t operations_ = 0;
  int addresses_ = 0;
};

/// Routes by concept; each holds the engine.
void add_instances(const std::shared_ptr<Engine>&);
void add_disks(const std::shared_ptr<Engine>&);
void add_images(const std::shared_ptr<Engine>&);
void add_operations(const std::shared_ptr<Engine>&);
void add_catalogue(const std::shared_ptr<Engine>&);
void add_metadata(const std::shared_ptr<Engine>&);
void add_tokens(const std::shared_ptr<Engine>&);
void add_batch(const std::shared_ptr<Engine>&);

/// A handler that is called under the lock, once the caller is known.
using EngineHandler = std::function<Reply(Engine&, const Call&)>;
void route(const std::shared_ptr<Engine>&, const std::string& method, const std::string& pattern, CallKind, EngineHandler);

}  // namespace vt::emulator::gcp
