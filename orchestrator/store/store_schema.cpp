#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/store/store_impl.hpp"

namespace vt {

namespace {

/// `check` is a word of SQL, hence check_id. Subjects are spelt out so that SQL can compare them.
constexpr auto kStep1 = R"(
CREATE TABLE document (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE run (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  plan TEXT NOT NULL,
  purpose TEXT NOT NULL,
  plan_hash TEXT NOT NULL,
  catalogue_hash TEXT NOT NULL,
  subject_path TEXT NOT NULL,
  subject_commit TEXT NOT NULL,
  subject_dirty INTEGER NOT NULL CHECK (subject_dirty IN (0, 1)),
  subject_digest TEXT NOT NULL,
  subject_image TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('', 'quick', 'standard', 'full')),
  selection TEXT NOT NULL,
  tool TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('real', 'rehearsal', 'imported')),
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  holder TEXT NOT NULL,
  exit_code INTEGER
) STRICT;

CREATE TABLE layer (
  run TEXT NOT NULL REFERENCES run (id),
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  provider TEXT NOT NULL,
  proves TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'preflight', 'acquire', 'connect', 'deploy', 'probe', 'execute', 'collect',
                                       'release', 'done', 'blocked', 'failed', 'cancelled')),
  detail TEXT NOT NULL,
  subject_path TEXT NOT NULL,
  subject_commit TEXT NOT NULL,
  subject_dirty INTEGER NOT NULL CHECK (subject_dirty IN (0, 1)),
  subject_digest TEXT NOT NULL,
  subject_image TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  PRIMARY KEY (run, name)
) STRICT;

CREATE TABLE planned (
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  check_id TEXT NOT NULL,
  title TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('gate', 'warn', 'info')),
  position INTEGER NOT NULL,
  PRIMARY KEY (run, layer, check_id),
  FOREIGN KEY (run, layer) REFERENCES layer (run, name)
) STRICT;

CREATE TABLE observation (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  host TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  phase TEXT NOT NULL,
  check_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  sample INTEGER NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('real', 'rehearsal', 'imported')),
  device TEXT NOT NULL,
  agent TEXT NOT NULL,
  started INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  exit_code INTEGER,
  signal INTEGER NOT NULL,
  timed_out INTEGER NOT NULL CHECK (timed_out IN (0, 1)),
  measured TEXT NOT NULL,
  out_head TEXT NOT NULL,
  out_tail TEXT NOT NULL,
  out_bytes INTEGER NOT NULL,
  out_lines INTEGER NOT NULL,
  err_head TEXT NOT NULL,
  err_tail TEXT NOT NULL,
  err_bytes INTEGER NOT NULL,
  err_lines INTEGER NOT NULL,
  problem TEXT NOT NULL,
  UNIQUE (run, layer, host, check_id, subject, attempt, phase, sample),
  FOREIGN KEY (run, layer) REFERENCES layer (run, name)
) STRICT;

CREATE TABLE judgement (
  id INTEGER PRIMARY KEY,
  observation INTEGER REFERENCES observation (id),
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  host TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  phase TEXT NOT NULL,
  check_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  sample INTEGER NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'warn', 'fail', 'skip', 'blocked', 'error', 'cancelled', 'info')),
  cause TEXT NOT NULL CHECK (cause IN ('none', 'capability', 'dependency', 'check', 'host', 'infrastructure', 'self-test',
                                       'budget', 'operator', 'rehearsal')),
  reason TEXT NOT NULL,
  capability TEXT NOT NULL,
  evidence TEXT NOT NULL,
  judged TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('real', 'rehearsal', 'imported')),
  at INTEGER NOT NULL,
  UNIQUE (run, layer, host, check_id, subject, attempt, phase, sample),
  FOREIGN KEY (run, layer) REFERENCES layer (run, name)
) STRICT;
CREATE INDEX judgement_of_check ON judgement (check_id);
CREATE INDEX judgement_of_observation ON judgement (observation);

-- Of several attempts, phases and samples the one recorded last counts.
CREATE VIEW newest AS SELECT * FROM judgement AS j WHERE NOT EXISTS (
  SELECT 1 FROM judgement AS later
  WHERE later.run = j.run AND later.layer = j.layer AND later.host = j.host AND later.check_id = j.check_id
    AND later.subject = j.subject AND later.id > j.id);

CREATE TABLE capability (
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  host TEXT NOT NULL,
  id TEXT NOT NULL,
  value TEXT,
  evidence TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('predicted', 'declared', 'probed')),
  scope TEXT NOT NULL CHECK (scope IN ('login', 'host')),
  PRIMARY KEY (run, layer, host, id),
  FOREIGN KEY (run, layer) REFERENCES layer (run, name)
) STRICT;

CREATE TABLE artefact (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL REFERENCES run (id),
  layer TEXT NOT NULL,
  host TEXT NOT NULL,
  check_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX artefact_of_run ON artefact (run);

CREATE TABLE event (
  run TEXT NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (run, sequence)
) STRICT;
)";

/// Metrics that checks report while they run. Numbers and points are JSON.
constexpr auto kStep2 = R"(
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  layer TEXT NOT NULL,
  host TEXT NOT NULL,
  check_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  device TEXT NOT NULL,
  count INTEGER NOT NULL,
  min TEXT NOT NULL,
  mean TEXT NOT NULL,
  max TEXT NOT NULL,
  points TEXT NOT NULL,
  FOREIGN KEY (run, layer) REFERENCES layer (run, name)
) STRICT;
CREATE INDEX series_of_run ON series (run);
)";

Status before_commit() {
  VT_FAILPOINT("store.before_commit");
  return {};
}

Status after_commit() {
  VT_FAILPOINT("store.after_commit");
  return {};
}

}  // namespace

const Schema kResultsSchema{"results", 0x76745231, {kStep1, kStep2}, before_commit, after_commit};  // "vtR1"

}  // namespace vt
