#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "orchestrator/model/hex.hpp"
#include "providers/emulator/emulator.hpp"
#include "providers/private_file.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

constexpr const char* kAccount = "rehearsal@rehearsal.iam.gserviceaccount.com";
constexpr int kKeyBits = 2048;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

/// The key as PEM, written by one of OpenSSL's PEM_write_bio functions.
template <class Write>
std::string pem(Write write) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  if (write(bio.get()) != 1) return "";
  char* data = nullptr;
  auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string random_hex(int bytes) {
  std::string raw(static_cast<std::size_t>(bytes), '\0');
  return RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), bytes) == 1 ? hex(raw) : "";
}

/// Who the rehearsals of a folder are. Kept there, so that every command is the same account: what one made, the next may look for and end.
struct Account {
  std::string private_key, public_key, key_id, runpod_key;
};

Result<Account> new_account() {
  Key key(EVP_RSA_gen(kKeyBits), EVP_PKEY_free);
  if (!key) return fail(Errc::internal, "OpenSSL makes no key");
  Account made;
  made.private_key = pem([&](BIO* b) { return PEM_write_bio_PKCS8PrivateKey(b, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  made.public_key = pem([&](BIO* b) { return PEM_write_bio_PUBKEY(b, key.get()); });
  made.key_id = random_hex(20), made.runpod_key = "rpa_rehearsal_" + random_hex(16);
  return made;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<Account> read_account(const std::string& path) {
  json kept = json::parse(read_whole(path), nullptr, false);
  if (!kept.is_object()) return std::nullopt;
  auto text = [&](const char* key) { return kept.value(key, ""); };
  return Account{text("private_key"), text("public_key"), text("key_id"), text("runpod_key")};
}

/// Several commands may do it at once.
Status replace_private(const std::string& path, const std::string& text) {
  std::string draft = path + "." + random_hex(4);
  VT_CHECK(write_private_file(draft, text));
  if (std::rename(draft.c_str(), path.c_str()) != 0) return fail(Errc::storage, "cannot write " + path);
  return {};
}

/// Of several commands that begin at once the first one's is taken by all.
Result<Account> account_in(const std::string& folder) {
  std::string path = folder + "/account.json", draft = path + "." + random_hex(4);
  if (auto kept = read_account(path)) return *kept;
  VT_TRY(Account made, new_account());
  json text = {
      {"private_key", made.private_key}, {"public_key", made.public_key}, {"key_id", made.key_id}, {"runpod_key", made.runpod_key}};
  VT_CHECK(write_private_file(draft, text.dump()));
  bool usable = link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST;
  unlink(draft.c_str());
  if (auto kept = usable ? read_account(path) : std::nullopt) return *kept;
  return fail(Errc::storage, "cannot write " + path);
}

/// Makes the credentials known to the emulator, which takes no others; returns who can log in at its instances.
Result<std::string> announce(const std::string& address, const std::string& public_key, const std::string& runpod_key) {
  httplib::Client client(address);
  json body = {{"google", {{kAccount, public_key}}}, {"runpod", json::array({runpod_key})}};
  auto reply = client.Post("/emulator/keys", body.dump(), "application/json");
  if (!reply || reply->status != 200) return fail(Errc::transport, "no emulator answers at " + address);
  auto said = json::parse(reply->body, nullptr, false);
  return said.is_object() ? said.value("login", "") : "";
}

json key_file(const std::string& address, const Account& account) {
  return {{"type", "service_account"},          {"project_id", "rehearsal"},          {"private_key_id", account.key_id},
          {"private_key", account.private_key}, {"client_email", kAccount},           {"client_id", "100000000000000000001"},
          {"token_uri", address + "/token"},    {"universe_domain", "googleapis.com"}};
}

}  // namespace

Result<CloudAccess> rehearsal_access(const std::string& address, const std::string& folder, double pace) {
  std::string path = folder + "/service-account.json";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || chmod(folder.c_str(), 0700) != 0) return fail(Errc::storage, "cannot make " + folder);
  VT_TRY(Account account, account_in(folder));
  std::string key = key_file(address, account).dump(2);
  if (read_whole(path) != key) VT_CHECK(replace_private(path, key));

  CloudAccess access;
  VT_TRY(access.gcp_login, announce(address, account.public_key, account.runpod_key));
  access.gcp_base = address + "/compute/v1/", access.gcp_metadata = address + "/", access.runpod_base = address + "/v2/";
  access.gcp_ssh_port = std::stoi(address.substr(address.find_last_of(':') + 1));
  access.reach = HttpRules::Reach::loopback, access.rehearsal = true, access.pace = pace;
  std::map<std::string, std::string> known = {{"GOOGLE_APPLICATION_CREDENTIALS", path},
                                              {"GCP_PROJECT", "rehearsal"},
                                              {"GOOGLE_CLOUD_PROJECT", "rehearsal"},
                                              {"RUNPOD_API_KEY", account.runpod_key}};
  access.environment = [known = std::move(known)](const std::string& name) {
    auto found = known.find(name);
    return found == known.end() ? std::string() : found->second;
  };
  return access;
}

}  // namespace vt::emulator
