#include "tests/unit/gcp/fake_cloud.hpp"

#include "orchestrator/model/text.hpp"
#include "providers/gcp/instance_body.hpp"

namespace vt::test {

using nlohmann::json;

class FakeCloud::Wire final : public Http {
 public:
  explicit Wire(FakeCloud& cloud) : cloud_(cloud) {}
  HttpResult send(const HttpRequest& request) override { return cloud_.answer(request); }

 private:
  FakeCloud& cloud_;
};

class FakeCloud::Token final : public GcpCredentials {
 public:
  explicit Token(FakeCloud& cloud) : cloud_(cloud) {}
  Result<std::shared_ptr<const Secret>> token(bool renew) override {
    if (renew) ++cloud_.renewals_;
    return std::make_shared<const Secret>("token");
  }
  [[nodiscard]] std::string text() const override { return "a test"; }

 private:
  FakeCloud& cloud_;
};

FakeCloud::FakeCloud() : http_(std::make_unique<Wire>(*this)), credentials_(std::make_unique<Token>(*this)) {
  context.state_dir = dir.path();
  context.prices = VT_SOURCE_DIR "/plans/prices";
  context.clock = &clock;
  context.cloud.gcp_base = "https://cloud.test/";
  context.cloud.pace = 0.001;
  api_ = std::make_unique<gcp::Api>(context.cloud, *http_, *credentials_, clock);
}

void FakeCloud::on(const std::string& pattern, int status, const json& body) {
  HttpReply reply{status, {}, body.is_string() ? body.get<std::string>() : body.dump(), {}};
  for (auto& line : lines_)
    if (line.pattern == pattern) return line.replies.push_back(reply);
  lines_.push_back({pattern, {reply}});
}

void FakeCloud::lose(const std::string& pattern, bool sent) {
  on(pattern, 0, "");
  for (auto& line : lines_)
    if (line.pattern == pattern) line.replies.back() = tl::unexpected(HttpFailure{sent, false, "the connection was cut"});
}

void FakeCloud::header(const std::string& name, const std::string& value) { lines_.back().replies.back()->headers[name] = value; }

HttpResult FakeCloud::answer(const HttpRequest& request) {
  auto line = request.method + " " + request.url.substr(context.cloud.gcp_base.size());
  asked_.push_back({line, request.body});
  for (auto& known : lines_) {
    if (!glob_match(known.pattern, line)) continue;
    auto reply = known.replies.front();
    if (known.replies.size() > 1) known.replies.pop_front();
    if (reply) reply->date = clock.wall() + skew.count();
    return reply;
  }
  return HttpReply{404, {}, api_error(404, "notFound", "The resource '" + line + "' was not found").dump(), clock.wall()};
}

int FakeCloud::count(const std::string& pattern) const {
  int fit = 0;
  for (auto& asked : asked_) fit += glob_match(pattern, asked.line) ? 1 : 0;
  return fit;
}

std::unique_ptr<Provider> FakeCloud::provider() { return make_gcp(context, std::make_unique<Wire>(*this), std::make_unique<Token>(*this)); }

json api_error(int status, const std::string& reason, const std::string& message) {
  json one{{"message", message}, {"domain", "global"}, {"reason", reason}};
  return {{"error", {{"code", status}, {"message", message}, {"errors", json::array({one})}}}};
}

json operation(const std::string& code, const std::string& message) {
  json done{
      {"kind", "compute#operation"}, {"name", "operation-1"}, {"status", "DONE"}, {"targetId", "1234"}, {"clientOperationId", "uuid-1"}};
  if (!code.empty()) done["error"]["errors"] = json::array({{{"code", code}, {"message", message}}});
  return done;
}

Resource row(const FakeCloud& cloud, const std::string& machine, const std::string& market) {
  Resource r;
  r.owner = {"abcdefgh", "qrstuvwxyz234567", "vt-abcdefgh-qrstuvwxyz234567", cloud.clock.wall() + 3'600'000, "tokentokentokentokentokent"};
  r.provider = "gcp", r.account = "p", r.zone = "us-central1-b", r.kind = "host";
  r.machine = machine, r.market = market, r.request_id = "uuid-1", r.run = "20261120-115606-LCIZ", r.layer = "image";
  r.provider_id = "1234";
  return r;
}

json marks(const Resource& r) { return gcp::labels_of(r); }

Layer layer(Options extra) {
  Layer made;
  made.name = "image", made.provider = "gcp";
  made.options = {{"project", {"p"}}, {"machine", {"g4-standard-48"}}, {"zones", {"us-central1-b", "us-west1-a"}}, {"market", {"spot"}}};
  for (auto& [key, values] : extra) made.options[key] = std::move(values);
  return made;
}

}  // namespace vt::test
