#pragma once
#include "orchestrator/model/resource.hpp"
#include "orchestrator/store/database.hpp"

/// Who this installation is and how it proves that a thing is its own. Internal to the store.
namespace vt {

struct Identity {
  std::string install;  ///< 8 characters
  std::string key;      ///< 32 raw bytes

  [[nodiscard]] std::string token(const Ownership&, const std::string& provider, const std::string& account) const;
};

/// The installation of the ledger in `folder`, made at first sight. It is bound to this machine and this path: a copied
/// folder gets an identity of its own, so that two copies never delete each other's hosts. Errc::refused if the key
/// file is not the one the ledger was made with.
Result<Identity> identity_of(Database& ledger, const std::string& folder, EpochMs now);

}  // namespace vt
