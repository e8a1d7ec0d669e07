#pragma once
#include "orchestrator/model/resource.hpp"
#include "orchestrator/store/database.hpp"

/// The tables of ledger.db. Internal to the store; every function runs in the caller's transaction.
namespace vt {

extern const Schema kLedgerSchema;

/// `where` is what follows SELECT … FROM resource.
Result<std::vector<Resource>> read_resources(Database&, const std::string& where, const Args&);
Result<std::optional<Resource>> read_resource(Database&, const std::string& name);
/// Errc::refused if there is one of that name.
Status insert_resource(Database&, const Resource&);
Status update_resource(Database&, const Resource&);
/// Appends to the event table, each row hashed together with the one before it.
Status append_event(Database&, const Resource&, const std::string& why, EpochMs now);

}  // namespace vt
