#include "orchestrator/store/ledger_rows.hpp"

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/store/names.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

namespace {

constexpr auto kStep1 = R"(
CREATE TABLE install (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  bound_to TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE resource (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  install TEXT NOT NULL,
  attempt TEXT NOT NULL,
  expires INTEGER NOT NULL,
  token TEXT NOT NULL,
  provider TEXT NOT NULL,
  account TEXT NOT NULL,
  zone TEXT NOT NULL,
  kind TEXT NOT NULL,
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  body TEXT NOT NULL,
  access TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'creating', 'created', 'ambiguous', 'refused', 'ready', 'deleting', 'gone',
                                       'presumed_absent')),
  generation INTEGER NOT NULL CHECK (generation >= 0),
  holder TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  created INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  hourly INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  looks_absent INTEGER NOT NULL,
  keep INTEGER NOT NULL CHECK (keep IN (0, 1)),
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX resource_of_run ON resource (run);
CREATE TRIGGER resource_stays BEFORE DELETE ON resource BEGIN SELECT raise(ABORT, 'rows of the ledger are never deleted'); END;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY,
  name TEXT NOT NULL REFERENCES resource (name),
  at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  why TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER event_stays BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'events of the ledger are never deleted'); END;
CREATE TRIGGER event_is_final BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'events of the ledger are never changed'); END;
)";

/// What a host was chosen for, and how its price and its create request are known.
constexpr auto kStep2 = R"(
ALTER TABLE resource ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN market TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN price_source TEXT NOT NULL DEFAULT '';
CREATE INDEX resource_by_time ON resource (created);
)";

constexpr auto kColumns =
    "name, install, attempt, expires, token, provider, account, zone, kind, run, layer, provider_id, body, access, state, generation,"
    " holder, lease_until, created, closed, hourly, reserved, cost, looks_absent, keep, reason, machine, market, request_id,"
    " price_source";
constexpr auto kMarks = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

/// In the order of kColumns.
Args args_of(const Resource& r) {
  auto& o = r.owner;
  return {o.name,   o.install,     o.attempt, o.expires,     o.token,        r.provider,       r.account,     r.zone,
          r.kind,   r.run,         r.layer,   r.provider_id, r.body,         r.access,         name(r.state), r.generation,
          r.holder, r.lease_until, r.created, r.closed,      r.hourly.micro, r.reserved.micro, r.cost.micro,  r.looks_absent,
          r.keep,   r.reason,      r.machine, r.market,      r.request_id,   r.price_source};
}

/// Reads kColumns: braces are evaluated from left to right.
Resource read_row(Row& r) {
  Resource out;
  out.owner.name = r.text();
  out.owner.install = r.text(), out.owner.attempt = r.text(), out.owner.expires = r.number(), out.owner.token = r.text();
  out.provider = r.text(), out.account = r.text(), out.zone = r.text(), out.kind = r.text(), out.run = r.text(), out.layer = r.text();
  out.provider_id = r.text(), out.body = r.text(), out.access = r.text();
  out.state = enum_of(r.text(), ResourceState::presumed_absent);
  out.generation = r.integer(), out.holder = r.text();
  out.lease_until = r.number(), out.created = r.number(), out.closed = r.number();
  out.hourly.micro = r.number(), out.reserved.micro = r.number(), out.cost.micro = r.number();
  out.looks_absent = r.integer(), out.keep = r.flag(), out.reason = r.text();
  out.machine = r.text(), out.market = r.text(), out.request_id = r.text(), out.price_source = r.text();
  return out;
}

Status before_commit() {
  VT_FAILPOINT("ledger.before_commit");
  return {};
}

Status after_commit() {
  VT_FAILPOINT("ledger.after_commit");
  return {};
}

struct Link {
  std::int64_t seq = 0;
  std::string hash;
};

/// Every part with its length, so that no two events hash the same text.
std::string hash_of(const Link& before, const Resource& r, EpochMs at, const std::string& why) {
  std::string text;
  for (auto& part : {before.hash, std::to_string(before.seq + 1), r.owner.name, std::to_string(at), std::string(name(r.state)), why})
    text += std::to_string(part.size()) + ":" + part;
  return sha256_hex(text);
}

}  // namespace

const Schema kLedgerSchema{"ledger", 0x76744C31, {kStep1, kStep2}, before_commit, after_commit};  // "vtL1"

Result<std::vector<Resource>> read_resources(Database& db, const std::string& where, const Args& args) {
  return db.rows<Resource>(std::string("SELECT ") + kColumns + " FROM resource " + where, args, read_row);
}

Result<std::optional<Resource>> read_resource(Database& db, const std::string& name) {
  return db.row<Resource>(std::string("SELECT ") + kColumns + " FROM resource WHERE name = ?", {name}, read_row);
}

Status insert_resource(Database& db, const Resource& r) {
  VT_TRY(int added,
         db.run(std::string("INSERT INTO resource (") + kColumns + ") VALUES " + kMarks + " ON CONFLICT (name) DO NOTHING", args_of(r)));
  if (added == 0) return fail(Errc::refused, r.owner.name + " is in the ledger already; names are never used again");
  return {};
}

Status update_resource(Database& db, const Resource& r) {
  auto args = args_of(r);
  args.emplace_back(r.owner.name);
  VT_TRY([[maybe_unused]] int changed, db.run(std::string("UPDATE resource SET (") + kColumns + ") = " + kMarks + " WHERE name = ?", args));
  return {};
}

Status append_event(Database& db, const Resource& r, const std::string& why, EpochMs now) {
  VT_TRY(auto last, db.row<Link>("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1", {},
                                 [](Row& row) { return Link{.seq = row.number(), .hash = row.text()}; }));
  auto before = last.value_or(Link{});
  VT_TRY([[maybe_unused]] int added,
         db.run("INSERT INTO event (seq, name, at_ms, state, why, prev_hash, hash) VALUES (?,?,?,?,?,?,?)",
                {before.seq + 1, r.owner.name, now, name(r.state), why, before.hash, hash_of(before, r, now, why)}));
  return {};
}

}  // namespace vt
