#include "providers/gcp/listing.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "providers/gcp/instance_body.hpp"
#include "providers/gcp/json.hpp"

namespace vt::gcp {

namespace {

/// One list to read: instances and disks of all zones at once, images of the whole project.
struct Source {
  const char* kind;
  const char* path;  ///< below the project
  const char* key;   ///< as Api::list takes it
};
constexpr Source kSources[] = {
    {"host", "aggregated/instances", "instances"}, {"disk", "aggregated/disks", "disks"}, {"image", "global/images", ""}};

/// Returns whether every part of the list came.
Result<bool> read(Api& api, const std::string& project, const Source& source, const std::string& install, Listing& listing) {
  VT_FAILPOINT("gcp.list");
  auto filter = install.empty() ? "labels.vt-install:*" : "labels.vt-install=" + install;
  VT_TRY(Items items, api.list("projects/" + encoded(project) + "/" + source.path, filter, source.key));
  for (auto& item : items.found) {
    auto r = resource_of(item, project, source.kind);
    // The filter is only a saving: what counts is the label.
    if (install.empty() ? !r.owner.install.empty() : r.owner.install == install) listing.resources.push_back(std::move(r));
  }
  return items.complete;
}

}  // namespace

Resource resource_of(const Json& item, const std::string& project, const std::string& kind) {
  std::map<std::string, std::string> labels;
  auto& marks = member(item, "labels");
  if (marks.is_object())
    for (auto& [key, value] : marks.items())
      if (value.is_string()) labels[key] = value.get<std::string>();
  Resource r;
  r.owner = owner_of(text_of(item, "name"), labels);
  r.provider = "gcp";
  r.account = project;
  r.kind = kind;
  r.provider_id = text_of(item, "id");
  r.zone = last_part(text_of(item, "zone"));
  r.machine = last_part(text_of(item, "machineType"));
  return r;
}

Result<Listing> list_projects(Api& api, const std::vector<std::string>& projects, const std::string& install) {
  Listing listing;
  listing.complete = true;
  std::optional<Error> first;
  bool any = false;
  for (auto& source : kSources)
    for (auto& project : projects) {
      auto complete = read(api, project, source, install, listing);
      any = any || complete;
      if (!complete && !first) first = complete.error();
      listing.complete = listing.complete && complete && *complete;
    }
  if (first && !any) return fail(*first);
  return listing;
}

}  // namespace vt::gcp
