#include "providers/gcp/teardown.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "providers/gcp/json.hpp"
#include "providers/gcp/listing.hpp"
#include "providers/gcp/operation.hpp"

namespace vt::gcp {

namespace {

bool is_id(const std::string& id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Where things of a kind are: instances and disks in a zone, images in the project.
std::string folder(const Resource& r, const std::string& collection) {
  return r.kind == "image" ? "projects/" + encoded(r.account) + "/global/" + collection : zonal(r.account, r.zone, collection);
}

Status remove_one(Api& api, const Resource& r, const std::string& collection, const std::string& id, Deadline deadline) {
  return remove(api, r.account, r.kind == "image" ? "" : r.zone, folder(r, collection) + "/" + encoded(id), deadline);
}

/// Removes what has our name, if it also shows our token. Names are never used twice.
Status remove_by_name(Api& api, const Resource& r, const std::string& collection, Deadline deadline) {
  auto found = api.get(folder(r, collection) + "/" + encoded(r.owner.name));
  if (!found && found.error().code == Errc::not_found) return {};
  if (!found) return fail(found.error());
  if (r.owner.token.empty() || resource_of(*found, r.account, r.kind).owner.token != r.owner.token) return {};
  return remove_one(api, r, collection, r.owner.name, deadline);
}

}  // namespace

Status tear_down(Api& api, const Resource& r, Deadline deadline) {
  if (r.kind == "image") return remove_by_name(api, r, "images", deadline);
  if (r.kind == "disk") return remove_by_name(api, r, "disks", deadline);
  // The id may be that of the disk, where the reply to create was lost and only the disk was there when it was looked for.
  if (is_id(r.provider_id)) VT_CHECK(remove_one(api, r, "instances", r.provider_id, deadline));
  VT_CHECK(remove_by_name(api, r, "instances", deadline));
  // autoDelete takes the disk along with its instance; one is left where the instance never came to be.
  return remove_by_name(api, r, "disks", deadline);
}

}  // namespace vt::gcp
