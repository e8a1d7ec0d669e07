#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

using std::chrono::seconds;

namespace {

constexpr seconds kCreate{20}, kDelete{5}, kSmallChange{2};
constexpr Money kGigabyteMonth{50'000};  ///< of an image's size in the archive; a round figure
constexpr int kHoursPerMonth = 730;

std::string image_path(const std::string& project, const std::string& name) { return "projects/" + project + "/global/images/" + name; }

json public_image(const Engine& engine, const PublicImage& image) {
  return {{"kind", "compute#image"},
          {"id", "1" + std::string(18, '0')},
          {"name", image.name},
          {"family", image.family},
          {"status", "READY"},
          {"sourceType", "RAW"},
          {"diskSizeGb", std::to_string(image.gigabytes)},
          {"archiveSizeBytes", "1073741824"},
          {"labelFingerprint", base64("public00")},
          {"creationTimestamp", "2026-10-01T00:00:00.000-07:00"},
          {"selfLink", engine.url(image_path(image.project, image.name))}};
}

/// Every image of a project, ours and Google's.
std::vector<json> images_of(const Engine& engine, const std::string& project) {
  std::vector<json> rows;
  for (auto& image : public_images())
    if (image.project == project) rows.push_back(public_image(engine, image));
  for (auto& [path, image] : engine.images)
    if (image->project == project) rows.push_back(image->body);
  return rows;
}

std::optional<json> find(const Engine& engine, const std::string& project, const std::string& name) {
  for (auto& image : images_of(engine, project))
    if (image["name"] == name) return image;
  return std::nullopt;
}

/// The newest of a family that is not deprecated.
std::optional<json> newest(const Engine& engine, const std::string& project, const std::string& family) {
  std::optional<json> best;
  for (auto& image : images_of(engine, project)) {
    if (image.value("family", "") != family || !image.value("/deprecated/state"_json_pointer, "").empty()) continue;
    if (!best || (*best)["creationTimestamp"] <= image["creationTimestamp"]) best = image;
  }
  return best;
}

Reply insert(Engine& engine, const Call& call) {
  const std::string& project = call.parts.at(0);
  json body;
  if (auto refusal = refuse_body(call, "Image", body)) return *refusal;
  std::string name = body.value("name", ""), source = Engine::path_of(body.value("sourceDisk", ""));
  if (name.empty()) return error(400, "required", "Required field 'resource.name' not specified");
  if (find(engine, project, name)) return error(409, "alreadyExists", "The resource '" + image_path(project, name) + "' already exists");
  auto disk = engine.disks.find(source);
  if (disk == engine.disks.end()) return source.empty() ? error(400, "invalid", "A source must be specified.") : not_found(source);
  std::string force = call.param("forceCreate");
  bool forced = force == "true" || force == "True";
  for (auto& user : disk->second->body.value("users", json::array())) {
    auto i = engine.instances.find(Engine::path_of(user));
    if (i != engine.instances.end() && i->second->body["status"] != "TERMINATED" && !forced)
      return error(400, "resourceInUseByAnotherResource", "The disk resource '" + source + "' is already being used by '" + i->first + "'");
  }
  auto image = engine.add_image(call, project, body, std::stoll(disk->second->body["sizeGb"].get<std::string>()));
  image->body["status"] = "PENDING";
  return engine.begin(call, project, "global", "insert", image_path(project, name), image->id, kCreate, [&engine, image] {
    image->body["status"] = "READY";
    engine.world.books->ready(image->id);
    return Outcome();
  });
}

Reply remove(Engine& engine, const Call& call) {
  std::string path = image_path(call.parts.at(0), call.parts.at(1));
  auto found = engine.images.find(path);
  if (found == engine.images.end()) return not_found(path);
  auto image = found->second;
  if (call.number != 0) engine.world.books->touched(image->id, call.number);
  Duration length = kDelete + (call.faults.has(FaultKind::undead) ? call.faults.length(FaultKind::undead) : Duration{0});
  engine.world.after(length, [&engine, path, image] {
    if (engine.images.erase(path) != 0) engine.world.books->ended(image->id, "deleted");
  });
  return engine.begin(call, image->project, "global", "delete", path, image->id, kDelete, [] { return Outcome(); });
}

Reply deprecate(Engine& engine, const Call& call) {
  json body;
  if (auto refusal = refuse_body(call, "DeprecationStatus", body)) return *refusal;
  std::string path = image_path(call.parts.at(0), call.parts.at(1));
  auto found = engine.images.find(path);
  if (found == engine.images.end()) return not_found(path);
  found->second->body["deprecated"] = body;
  return engine.begin(call, call.parts.at(0), "global", "deprecate", path, found->second->id, kSmallChange, [] { return Outcome(); });
}

Reply get(Engine& engine, const Call& call) {
  auto image = find(engine, call.parts.at(0), call.parts.at(1));
  return image ? json_reply(*image) : not_found(image_path(call.parts.at(0), call.parts.at(1)));
}

Reply from_family(Engine& engine, const Call& call) {
  auto image = newest(engine, call.parts.at(0), call.parts.at(1));
  return image ? json_reply(*image) : not_found("projects/" + call.parts.at(0) + "/global/images/family/" + call.parts.at(1));
}

Reply family_view(Engine& engine, const Call& call) {
  auto image = newest(engine, call.parts.at(0), call.parts.at(2));
  if (!image) return not_found("projects/" + call.parts.at(0) + "/zones/" + call.parts.at(1) + "/imageFamilyViews/" + call.parts.at(2));
  return json_reply({{"image", *image}});
}

Reply list(Engine& engine, const Call& call) {
  return list_reply(call, "imageList", "projects/" + call.parts.at(0) + "/global/images", images_of(engine, call.parts.at(0)));
}

}  // namespace

std::shared_ptr<Image> Engine::add_image(const Call& call, const std::string& project, json body, std::int64_t gigabytes, bool foreign) {
  auto image = std::make_shared<Image>();
  image->id = new_id(), image->project = project, image->name = body["name"];
  body["kind"] = "compute#image", body["id"] = image->id, body["selfLink"] = url(image_path(project, image->name)),
  body["status"] = "READY";
  body["sourceType"] = "RAW", body["diskSizeGb"] = std::to_string(gigabytes), body["archiveSizeBytes"] = std::to_string(gigabytes << 30);
  body["creationTimestamp"] = stamp(Clock::wall()), body["labelFingerprint"] = new_fingerprint();
  image->body = std::move(body);
  images[image_path(project, image->name)] = image;
  Thing thing;
  thing.id = image->id, thing.provider = "gcp", thing.kind = "image", thing.name = image->name;
  thing.marks = marks_of(image->body), thing.foreign = foreign;
  thing.hourly.micro = (kGigabyteMonth.micro * gigabytes + kHoursPerMonth - 1) / kHoursPerMonth;
  if (call.number != 0) thing.requests = {call.number};
  world.books->add(std::move(thing));
  world.books->meter(image->id, true);
  return image;
}

std::optional<std::int64_t> Engine::image_size(const std::string& url) const {
  std::string path = path_of(url);
  auto at = path.find("projects/");
  if (at != 0) return std::nullopt;
  std::string project = path.substr(9, path.find('/', 9) - 9), name = last_segment(path);
  bool family = path.find("/family/") != std::string::npos || path.find("/imageFamilyViews/") != std::string::npos;
  auto image = family ? newest(*this, project, name) : find(*this, project, name);
  if (!image) return std::nullopt;
  return std::stoll((*image)["diskSizeGb"].get<std::string>());
}

void add_images(const std::shared_ptr<Engine>& engine) {
  const std::string all = "{}/global/images", one = all + "/{}";
  route(engine, "POST", all, CallKind::create, insert);
  route(engine, "GET", all, CallKind::list, list);
  route(engine, "GET", all + "/family/{}", CallKind::get, from_family);
  route(engine, "GET", "{}/zones/{}/imageFamilyViews/{}", CallKind::get, family_view);
  route(engine, "GET", one, CallKind::get, get);
  route(engine, "DELETE", one, CallKind::remove, remove);
  route(engine, "POST", one + "/deprecate", CallKind::change, deprecate);
}

}  // namespace vt::emulator::gcp
