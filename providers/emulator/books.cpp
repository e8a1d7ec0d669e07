#include "providers/emulator/books.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vt::emulator {

using nlohmann::json;

namespace {

Thing thing_from(const json& row) {
  Thing t;
  t.id = row.value("id", ""), t.provider = row.value("provider", ""), t.kind = row.value("kind", "");
  t.name = row.value("name", ""), t.zone = row.value("zone", ""), t.end = row.value("end", "");
  t.marks = row.value("marks", Marks());
  t.foreign = row.value("foreign", false);
  t.created = row.value("created", EpochMs{0}), t.ready = row.value("ready", EpochMs{0}), t.gone = row.value("gone", EpochMs{0});
  t.hourly.micro = row.value("hourly", std::int64_t{0});
  t.least_seconds = row.value("least_seconds", std::int64_t{0});
  t.requests = row.value("requests", std::vector<std::uint64_t>());
  t.metered = Duration{row.value("metered", Duration::rep{0})};
  return t;
}

json request_json(const Request& r) {
  return {{"number", r.number},         {"at", r.at},       {"api", r.api},       {"method", r.method}, {"path", r.path}, {"name", r.name},
          {"request_id", r.request_id}, {"marks", r.marks}, {"status", r.status}, {"fault", r.fault}};
}

Request request_from(const json& row) {
  Request r;
  r.number = row.value("number", std::uint64_t{0}), r.at = row.value("at", EpochMs{0}), r.api = row.value("api", "");
  r.method = row.value("method", ""), r.path = row.value("path", ""), r.name = row.value("name", "");
  r.request_id = row.value("request_id", ""), r.marks = row.value("marks", Marks());
  r.status = row.value("status", 0), r.fault = row.value("fault", "");
  return r;
}

/// What the meter shows: stretches that ended, and the one that runs.
Duration on_meter(const Thing& t, Duration now) { return t.meter_since < Duration::zero() ? t.metered : t.metered + (now - t.meter_since); }

}  // namespace

Result<std::unique_ptr<Books>> Books::open(const std::string& folder, const Clock& clock) {
  std::string path = folder + "/books.jsonl";
  int fd = ::open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return fail(Errc::storage, "cannot write the emulator's books at " + path);
  close(fd);
  std::unique_ptr<Books> books(new Books(clock, path));
  books->load(path);
  return books;
}

void Books::load(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    json row = json::parse(line, nullptr, false);  // the last line of an emulator that was killed may be cut
    if (!row.is_object()) continue;
    if (row.contains("thing")) {
      Thing t = thing_from(row["thing"]);
      things_[t.id] = std::move(t);
    } else if (row.contains("request")) {
      requests_.push_back(request_from(row["request"]));
      requests_seen_ = std::max(requests_seen_, requests_.back().number);
    }
  }
  for (auto& [id, t] : things_) {
    if (t.gone != 0) continue;
    t.gone = Clock::wall(), t.end = "emulator ended";
    write(t);
  }
}

void Books::add(Thing t) {
  std::lock_guard lock(mutex_);
  if (t.created == 0) t.created = Clock::wall();
  write(t);
  things_[t.id] = std::move(t);
}

void Books::change(const std::string& id, const std::function<void(Thing&)>& how) {
  std::lock_guard lock(mutex_);
  auto found = things_.find(id);
  if (found == things_.end()) return;
  how(found->second);
  write(found->second);
}

void Books::set_marks(const std::string& id, Marks marks) {
  change(id, [&](Thing& t) { t.marks = std::move(marks); });
}

void Books::ready(const std::string& id) {
  change(id, [](Thing& t) {
    if (t.ready == 0) t.ready = Clock::wall();
  });
}

void Books::meter(const std::string& id, bool runs) {
  change(id, [&](Thing& t) {
    Duration now = clock_.now();
    t.metered = on_meter(t, now);
    t.meter_since = runs ? now : Duration{-1};
  });
}

void Books::ended(const std::string& id, const std::string& how) {
  change(id, [&](Thing& t) {
    if (t.gone != 0) return;
    t.metered = on_meter(t, clock_.now());
    t.meter_since = Duration{-1};
    t.gone = Clock::wall(), t.end = how;
  });
}

void Books::touched(const std::string& id, std::uint64_t request) {
  change(id, [&](Thing& t) { t.requests.push_back(request); });
}

std::uint64_t Books::next_request() {
  std::lock_guard lock(mutex_);
  return ++requests_seen_;
}

void Books::log(Request r) {
  std::lock_guard lock(mutex_);
  if (r.at == 0) r.at = Clock::wall();
  file_ << json{{"request", request_json(r)}}.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  requests_.push_back(std::move(r));
}

Money Books::bill(const Thing& t) const {
  Duration used = on_meter(t, clock_.now());
  if (used == Duration::zero()) return {};
  auto seconds = (used.count() + 999) / 1000;
  return price_for(t.hourly, std::max<std::int64_t>(seconds, t.least_seconds));
}

Money Books::billed(const std::string& id) const {
  std::lock_guard lock(mutex_);
  auto found = things_.find(id);
  return found == things_.end() ? Money() : bill(found->second);
}

json Books::to_json(const Thing& t) const {
  return {{"id", t.id},
          {"provider", t.provider},
          {"kind", t.kind},
          {"name", t.name},
          {"zone", t.zone},
          {"marks", t.marks},
          {"foreign", t.foreign},
          {"created", t.created},
          {"ready", t.ready},
          {"gone", t.gone},
          {"hourly", t.hourly.micro},
          {"least_seconds", t.least_seconds},
          {"metered", on_meter(t, clock_.now()).count()},
          {"billed", bill(t).micro},
          {"end", t.end},
          {"requests", t.requests}};
}

void Books::write(const Thing& t) {
  file_ << json{{"thing", to_json(t)}}.dump(-1, ' ', false, json::error_handler_t::replace)
        << std::endl;  // flushed: a killed emulator keeps its books
}

json Books::things() const {
  std::lock_guard lock(mutex_);
  json list = json::array();
  for (auto& [id, t] : things_) list.push_back(to_json(t));
  return list;
}

json Books::requests() const {
  std::lock_guard lock(mutex_);
  json list = json::array();
  for (auto& r : requests_) list.push_back(request_json(r));
  return list;
}

Marks marks_of(const json& body) {
  Marks marks;
  if (!body.is_object()) return marks;
  for (const char* where : {"labels", "env"}) {
    auto found = body.find(where);
    if (found == body.end() || !found->is_object()) continue;
    for (auto& [key, value] : found->items())
      if (value.is_string() && (std::string(where) == "labels" || key.starts_with("VT_"))) marks[key] = value;
  }
  return marks;
}

}  // namespace vt::emulator
