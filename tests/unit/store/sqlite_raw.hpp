#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

/// The file as SQLite alone sees it, behind the library's back.
namespace vt::test {

inline std::string sql(const std::string& path, const std::string& query) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE, 5000);
  SQLite::Statement statement(db, query);
  return statement.executeStep() && !statement.getColumn(0).isNull() ? statement.getColumn(0).getString() : "";
}

inline void change(const std::string& path, const std::string& script) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
  db.exec(script);
}

}  // namespace vt::test
