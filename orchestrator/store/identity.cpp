#include "orchestrator/store/identity.hpp"

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/store/digest.hpp"
#include "orchestrator/store/files.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

namespace {

constexpr std::size_t kKeyBytes = 32;

struct InstallRow {
  std::string id, key_hash;
};

InstallRow read_install(Row& row) { return {.id = row.text(), .key_hash = row.text()}; }

/// Machine and path, hashed: neither needs to be readable in a copied file.
std::string binding_of(const std::string& database) {
  auto machine = read_file("/etc/machine-id").value_or("");
  return sha256_hex(std::string(trim(machine)) + "|" + database);
}

std::string hash_of_key(const std::string& key) { return sha256_hex("vault-test key|" + key); }

/// The key is on disk before the row that names it: a crash between the two only makes the next start begin again.
Result<Identity> make_identity(Database& ledger, const std::string& key_path, const std::string& binding, EpochMs now) {
  Identity made{base32(random_bytes(5)), random_bytes(kKeyBytes)};
  VT_FAILPOINT("key.write");
  VT_CHECK(replace_file(key_path, made.key));
  VT_TRY([[maybe_unused]] int added, ledger.run("INSERT INTO install (id, bound_to, key_hash, at) VALUES (?,?,?,?)",
                                                {made.install, binding, hash_of_key(made.key), now}));
  return made;
}

Result<Identity> known_identity(const InstallRow& row, const std::string& key_path) {
  auto key = read_file(key_path);
  if (!key && key.error().code != Errc::not_found) return fail(key.error());
  if (!key || hash_of_key(*key) != row.key_hash)
    return fail(Errc::refused, key_path +
                                   ": missing or not the key of this ledger, without which its hosts cannot be told from strangers'; "
                                   "put the file back, or start with another state folder");
  return Identity{row.id, *key};
}

}  // namespace

Result<Identity> identity_of(Database& ledger, const std::string& folder, EpochMs now) {
  auto binding = binding_of(ledger.path());
  auto key_path = folder + "/ledger.key";
  std::optional<Identity> identity;
  // One transaction, so that two first starts agree.
  VT_CHECK(ledger.write([&]() -> Status {
    // Only the newest row: after a folder came back from a copy, the older ones are strangers too.
    VT_TRY(auto row,
           ledger.row<InstallRow>("SELECT id, key_hash FROM install WHERE number = (SELECT max(number) FROM install) AND bound_to = ?",
                                  {binding}, read_install));
    VT_TRY(identity, row ? known_identity(*row, key_path) : make_identity(ledger, key_path, binding, now));
    return {};
  }));
  return std::move(*identity);
}

}  // namespace vt
