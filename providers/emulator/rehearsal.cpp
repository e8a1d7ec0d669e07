#include <fcntl.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "providers/emulator/emulator.hpp"

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
  std::string raw(static_cast<std::size_t>(bytes), '\0'), text;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), bytes) != 1) return "";
  for (unsigned char c : raw) text += "0123456789abcdef"[c >> 4], text += "0123456789abcdef"[c & 15];
  return text;
}

Status write_private(const std::string& path, const std::string& text) {
  unlink(path.c_str());
  int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return fail(Errc::storage, "cannot write " + path);
  auto put = write(fd, text.data(), text.size());
  close(fd);
  if (put != static_cast<ssize_t>(text.size())) return fail(Errc::storage, "cannot write " + path);
  return {};
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

json key_file(const std::string& address, const std::string& private_key) {
  return {{"type", "service_account"},       {"project_id", "rehearsal"},          {"private_key_id", random_hex(20)},
          {"private_key", private_key},      {"client_email", kAccount},           {"client_id", "100000000000000000001"},
          {"token_uri", address + "/token"}, {"universe_domain", "googleapis.com"}};
}

}  // namespace

Result<CloudAccess> rehearsal_access(const std::string& address, const std::string& folder, double pace) {
  Key key(EVP_RSA_gen(kKeyBits), EVP_PKEY_free);
  if (!key) return fail(Errc::internal, "OpenSSL makes no key");
  std::string private_key = pem([&](BIO* b) { return PEM_write_bio_PKCS8PrivateKey(b, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  std::string public_key = pem([&](BIO* b) { return PEM_write_bio_PUBKEY(b, key.get()); });
  std::string runpod_key = "rpa_rehearsal_" + random_hex(16), path = folder + "/service-account.json";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || chmod(folder.c_str(), 0700) != 0) return fail(Errc::storage, "cannot make " + folder);
  VT_CHECK(write_private(path, key_file(address, private_key).dump(2)));

  CloudAccess access;
  VT_TRY(access.gcp_login, announce(address, public_key, runpod_key));
  access.gcp_base = address + "/compute/v1/", access.gcp_metadata = address + "/", access.runpod_base = address + "/v2/";
  access.gcp_ssh_port = std::stoi(address.substr(address.find_last_of(':') + 1));
  access.reach = HttpRules::Reach::loopback, access.rehearsal = true, access.pace = pace;
  std::map<std::string, std::string> known = {{"GOOGLE_APPLICATION_CREDENTIALS", path},
                                              {"GCP_PROJECT", "rehearsal"},
                                              {"GOOGLE_CLOUD_PROJECT", "rehearsal"},
                                              {"RUNPOD_API_KEY", runpod_key}};
  access.environment = [known = std::move(known)](const std::string& name) {
    auto found = known.find(name);
    return found == known.end() ? std::string() : found->second;
  };
  return access;
}

}  // namespace vt::emulator
