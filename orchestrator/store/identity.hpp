#pragma once
#include "orchestrator/store/database.hpp"
#include "orchestrator/store/install_key.hpp"

/// Who this installation is and how it proves that a thing is its own. Internal to the store.
namespace vt {

using Identity = InstallKey;

/// The installation of the ledger in `folder`, made at first sight. It is bound to this machine and this path: a copied
/// folder gets an identity of its own, so that two copies never delete each other's hosts. Errc::refused if the key
/// file is not the one the ledger was made with.
Result<Identity> identity_of(Database& ledger, const std::string& folder, EpochMs now);

}  // namespace vt
