#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace SQLite {
class Statement;
}

/// One SQLite file behind Results: no exception and no SQLite type leaves database.cpp. Internal to the store.
namespace vt {

/// A value bound to a `?`.
struct Arg {
  std::variant<std::nullptr_t, std::int64_t, std::string> v;
  Arg(std::integral auto i) : v(static_cast<std::int64_t>(i)) {}
  Arg(std::optional<int> i) : v(nullptr) {
    if (i) v = std::int64_t{*i};
  }
  Arg(std::optional<std::string> s) : v(nullptr) {
    if (s) v = std::move(*s);
  }
  Arg(std::string s) : v(std::move(s)) {}
  Arg(std::string_view s) : v(std::string(s)) {}
  Arg(const char* s) : v(std::string(s)) {}
};
using Args = std::vector<Arg>;

/// One row of an answer; every call reads the next column.
class Row {
 public:
  explicit Row(SQLite::Statement& statement) : statement_(statement) {}
  std::string text();
  std::int64_t number();
  int integer() { return static_cast<int>(number()); }
  bool flag() { return number() != 0; }
  std::optional<int> maybe_integer();
  std::optional<std::string> maybe_text();

 private:
  SQLite::Statement& statement_;
  int next_ = 0;
};

struct Schema {
  std::string what;                ///< for messages: "results"
  std::int32_t application_id;     ///< of the file header
  std::vector<std::string> steps;  ///< steps[n] takes schema n to n + 1; never changed once released
  Status (*before_commit)();       ///< failpoints, reached around every commit to such a file
  Status (*after_commit)();
};

/// Not thread-safe: its owner locks.
class Database {
 public:
  enum class Access { write, read };
  /// write: opens or makes `path` and brings it to the newest schema, with a copy beside it first
  /// ("<path>.schema<n>-<random>"). read: never makes, never migrates; Errc::not_found if nothing was ever written.
  /// Errc::refused for a file of a newer schema. `path` must not contain symbolic links.
  /// `schema` outlives the database.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Access, const Schema& schema);
  ~Database();

  /// One statement; how many rows it changed.
  Result<int> run(const std::string& sql, const Args& = {});
  Status each(const std::string& sql, const Args&, const std::function<void(Row&)>&);
  template <class T>
  Result<std::vector<T>> rows(const std::string& sql, const Args& args, T (*read)(Row&)) {
    std::vector<T> out;
    VT_CHECK(each(sql, args, [&](Row& row) { out.push_back(read(row)); }));
    return out;
  }
  template <class T>
  Result<std::optional<T>> row(const std::string& sql, const Args& args, T (*read)(Row&)) {
    VT_TRY(auto all, rows(sql, args, read));
    return all.empty() ? std::nullopt : std::optional<T>(std::move(all.front()));
  }
  /// `body` in one transaction: BEGIN IMMEDIATE … COMMIT, rolled back if it fails. On disk when it returns.
  Status write(const std::function<Status()>& body);
  [[nodiscard]] const std::string& path() const;

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl>);
  Status prepare(Access);
  Status migrate();
  Status step_up(int from);
  Result<std::string> back_up(int version);
  Result<int> version();
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt
