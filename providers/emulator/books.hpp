#pragma once
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "orchestrator/model/money.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/emulator/clock.hpp"

namespace vt::emulator {

using Marks = std::map<std::string, std::string>;

/// One resource that exists or once existed. Times are real ones, 0 = not (yet); the bill is of emulated time.
struct Thing {
  std::string id;              ///< the provider's own; unique over both providers
  std::string provider, kind;  ///< "gcp": "instance", "disk", "image"; "runpod": "pod", "volume"
  std::string name, zone;
  Marks marks;           ///< labels; of environment variables those that start with VT_
  bool foreign = false;  ///< made by a stranger, through /emulator/foreign
  EpochMs created = 0, ready = 0, gone = 0;
  Money hourly;                         ///< while its meter runs
  std::int64_t least_seconds = 0;       ///< billed at least for this long once the meter ran
  std::string end;                      ///< how it ended: "deleted", "preempted", "expired", "vanished", "emulator ended"
  std::vector<std::uint64_t> requests;  ///< numbers of the requests that made and changed it

  Duration metered{0};       ///< emulated time on the meter so far, without the stretch that runs now
  Duration meter_since{-1};  ///< emulated time at which the meter was switched on; negative: it is off
};

/// One mutating request as it was seen on the wire.
struct Request {
  std::uint64_t number = 0;  ///< given by Books::log
  EpochMs at = 0;
  std::string api, method, path;
  std::string name, request_id;  ///< "name" of the body; query parameter requestId
  Marks marks;                   ///< of the body, as in Thing
  int status = 0;                ///< of the reply; 0: none was sent
  std::string fault;             ///< names of the faults it met, blank-separated
};

/// The judge of the tests: everything that ever existed and every mutating request. Each change is appended to books.jsonl in the
/// folder; reading it at the start closes what an emulator that died left open. Thread-safe.
class Books {
 public:
  static Result<std::unique_ptr<Books>> open(const std::string& folder, const Clock&);

  void add(Thing);  ///< created = now unless set
  void set_marks(const std::string& id, Marks);
  void ready(const std::string& id);
  void meter(const std::string& id, bool runs);
  void ended(const std::string& id, const std::string& how);  ///< stops the meter; of several ends the first counts
  void touched(const std::string& id, std::uint64_t request);
  std::uint64_t next_request();
  void log(Request);  ///< its number from next_request()

  [[nodiscard]] Money billed(const std::string& id) const;
  [[nodiscard]] nlohmann::json things() const;    ///< an array; times in ms, "billed" and "hourly" in micro-dollars
  [[nodiscard]] nlohmann::json requests() const;  ///< an array, oldest first

 private:
  Books(const Clock& clock, const std::string& path) : clock_(clock), file_(path, std::ios::app) {}
  void load(const std::string& path);
  void change(const std::string& id, const std::function<void(Thing&)>&);
  void write(const Thing&);
  [[nodiscard]] Money bill(const Thing&) const;
  [[nodiscard]] nlohmann::json to_json(const Thing&) const;

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::ofstream file_;
  std::map<std::string, Thing> things_;
  std::vector<Request> requests_;
  std::uint64_t requests_seen_ = 0;
};

/// What marks a request body as somebody's: its labels, and environment variables VT_*; nothing if it is not JSON.
Marks marks_of(const nlohmann::json& body);

}  // namespace vt::emulator
