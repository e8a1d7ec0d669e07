#include "orchestrator/store/database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "orchestrator/store/digest.hpp"
#include "orchestrator/store/files.hpp"

namespace vt {

namespace {

constexpr int kBusyTimeoutMs = 10'000;
constexpr int kMaxValue = 16 << 20;  ///< bytes of one text or row

/// Undoes the open transaction of a body that failed or threw. SQLite may have undone it already.
struct Rollback {
  SQLite::Database& db;
  ~Rollback() {
    if (!sqlite3_get_autocommit(db.getHandle())) db.tryExec("ROLLBACK");
  }
};

void bind(SQLite::Statement& statement, const Args& args) {
  int index = 0;
  for (auto& arg : args) {
    ++index;
    if (auto number = std::get_if<std::int64_t>(&arg.v)) statement.bind(index, *number);
    else if (auto text = std::get_if<std::string>(&arg.v)) statement.bindNoCopy(index, *text);
    else statement.bind(index);
  }
}

void configure(SQLite::Database& db, Database::Access access) {
  db.exec("PRAGMA foreign_keys=ON");
  if (access == Database::Access::write) {
    SQLite::Statement journal(db, "PRAGMA journal_mode=DELETE");
    if (!journal.executeStep() || journal.getColumn(0).getString() != "delete") throw SQLite::Exception("cannot use a rollback journal");
  }
  db.exec("PRAGMA synchronous=EXTRA; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY");
  sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(db.getHandle(), SQLITE_LIMIT_LENGTH, kMaxValue);
  if (access == Database::Access::read) db.exec("PRAGMA query_only=ON");
}

Error error_of(const std::string& path, sqlite3* handle, const SQLite::Exception& e) {
  int kind = e.getErrorCode() & 0xff;
  // The system's errno is kept by SQLite for these two only.
  bool has_errno = handle && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN);
  bool full = kind == SQLITE_FULL || (has_errno && means_disk_full(sqlite3_system_errno(handle)));
  return {full ? Errc::disk_full : Errc::storage, path + ": " + e.what()};
}

/// The one place where SQLite's exceptions end.
template <class F>
auto guarded(const std::string& path, sqlite3* handle, F body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& e) { return fail(error_of(path, handle, e)); }
}

}  // namespace

struct Database::Impl {
  std::string path;
  const Schema& schema;
  SQLite::Database db;

  [[nodiscard]] int newest() const { return static_cast<int>(schema.steps.size()); }
};

std::string Row::text() { return statement_.getColumn(next_++).getString(); }
std::int64_t Row::number() { return statement_.getColumn(next_++).getInt64(); }
std::optional<int> Row::maybe_integer() {
  auto column = statement_.getColumn(next_++);
  return column.isNull() ? std::nullopt : std::optional<int>(column.getInt());
}
std::optional<std::string> Row::maybe_text() {
  auto column = statement_.getColumn(next_++);
  return column.isNull() ? std::nullopt : std::optional<std::string>(column.getString());
}

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;
const std::string& Database::path() const { return impl_->path; }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access, const Schema& schema) {
  if (access == Access::write) VT_CHECK(make_private_file(path));
  if (::access(path.c_str(), F_OK) != 0) return fail(Errc::not_found, path + ": there is none yet");
  // Readers open for writing too (and then set query_only): after a crash the first one rolls the journal back.
  return guarded(path, nullptr, [&]() -> Result<std::unique_ptr<Database>> {
    std::unique_ptr<Impl> impl(
        new Impl{path, schema, SQLite::Database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, kBusyTimeoutMs)});
    std::unique_ptr<Database> database(new Database(std::move(impl)));
    VT_CHECK(database->prepare(access));
    return database;
  });
}

Status Database::prepare(Access access) {
  VT_CHECK(guarded(impl_->path, impl_->db.getHandle(), [&]() -> Status { return configure(impl_->db, access), Status{}; }));
  if (access == Access::write) return migrate();
  VT_TRY(int found, version());
  if (found == 0) return fail(Errc::not_found, impl_->path + ": nothing was written yet");
  if (found < impl_->newest())
    return fail(Errc::refused, impl_->path + ": has the older schema " + std::to_string(found) + "; the next run brings it up to date");
  return {};
}

Result<int> Database::run(const std::string& sql, const Args& args) {
  return guarded(impl_->path, impl_->db.getHandle(), [&]() -> Result<int> {
    SQLite::Statement statement(impl_->db, sql);
    bind(statement, args);
    return statement.exec();
  });
}

Status Database::each(const std::string& sql, const Args& args, const std::function<void(Row&)>& read) {
  return guarded(impl_->path, impl_->db.getHandle(), [&]() -> Status {
    SQLite::Statement statement(impl_->db, sql);
    bind(statement, args);
    while (statement.executeStep()) {
      Row row(statement);
      read(row);
    }
    return {};
  });
}

Status Database::write(const std::function<Status()>& body) {
  return guarded(impl_->path, impl_->db.getHandle(), [&]() -> Status {
    impl_->db.exec("BEGIN IMMEDIATE");
    Rollback rollback{impl_->db};
    VT_CHECK(body());
    VT_CHECK(impl_->schema.before_commit());
    impl_->db.exec("COMMIT");
    return impl_->schema.after_commit();
  });
}

/// 0 for a file nothing was written to. Refuses files that are not ours and files of a newer schema.
Result<int> Database::version() {
  int version = 0, application = 0, tables = 0;
  VT_CHECK(each("SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version, pragma_application_id",
                {}, [&](Row& row) { version = row.integer(), application = row.integer(), tables = row.integer(); }));
  if (version == 0 && tables == 0) return 0;
  if (application != impl_->schema.application_id)
    return fail(Errc::refused, impl_->path + ": is not a vault-test " + impl_->schema.what + " file");
  auto known = impl_->newest();
  if (version > known)
    return fail(Errc::refused, impl_->path + ": was written by a newer vault-test (schema " + std::to_string(version) +
                                   ", this one knows " + std::to_string(known) + "); use that version or another state folder");
  return version;
}

Status Database::migrate() {
  VT_TRY(int found, version());
  if (found == impl_->newest()) return {};
  std::string copy;
  if (found > 0) { VT_TRY(copy, back_up(found)); }
  return write([&]() -> Status {
    VT_TRY(int now, version());  // another process may have been faster
    if (now != found && !copy.empty()) unlink(copy.c_str());
    return step_up(now);
  });
}

Status Database::step_up(int from) {
  auto& schema = impl_->schema;
  return guarded(impl_->path, impl_->db.getHandle(), [&]() -> Status {
    for (auto step = static_cast<std::size_t>(from); step < schema.steps.size(); ++step) impl_->db.exec(schema.steps[step]);
    impl_->db.exec("PRAGMA user_version=" + std::to_string(schema.steps.size()));
    impl_->db.exec("PRAGMA application_id=" + std::to_string(schema.application_id));
    return {};
  });
}

/// The path of the copy. VACUUM INTO accepts an empty file, which gets its mode from us.
Result<std::string> Database::back_up(int version) {
  auto copy = impl_->path + ".schema" + std::to_string(version) + "-" + base32(random_bytes(5));
  VT_CHECK(make_private_file(copy));
  VT_TRY([[maybe_unused]] int changed, run("VACUUM INTO ?", {copy}));
  VT_CHECK(sync_file(copy));
  return copy;
}

}  // namespace vt
