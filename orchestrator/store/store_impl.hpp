#pragma once
#include <mutex>

#include "orchestrator/store/database.hpp"
#include "orchestrator/store/store.hpp"

/// What the files of the Store share. Internal.
namespace vt {

extern const Schema kResultsSchema;

struct Store::Impl {
  std::unique_ptr<Database> db;
  const Clock& clock;
  std::string folder;
  std::mutex lock;        ///< guards db
  std::mutex event_lock;  ///< taken before `lock`: listeners see events in the order of their numbers
  std::function<void(const Event&)> listener;

  /// `body` in one transaction; it is on disk when this returns.
  Status write(const std::function<Status()>& body);
  template <class T>
  Result<std::vector<T>> rows(const std::string& sql, const Args& args, T (*read)(Row&)) {
    std::lock_guard hold(lock);
    return db->rows(sql, args, read);
  }
  [[nodiscard]] std::string artefact_path(const std::string& sha256) const {
    return folder + "/artefacts/" + sha256.substr(0, 2) + "/" + sha256;
  }
};

}  // namespace vt
