#include "providers/runpod/catalogue.hpp"

#include <gtest/gtest.h>

#include "tests/unit/runpod/fake_api.hpp"

namespace vt {
namespace {

using test::http_reply;
using test::json;
using test::Scene;

json gpu(const std::string& id, double secure, double community, const std::string& stock = "HIGH") {
  return {{"id", id},
          {"price", {{"secure", secure}, {"community", community}}},
          {"maxCount", {{"secure", 8}, {"community", 2}}},
          {"availability", stock},
          {"dataCenters", {{{"id", "US-TX-3"}, {"availability", "LOW"}}, {{"id", "EU-RO-1"}, {"availability", "NONE"}}}}};
}

class RunPodCatalogue : public testing::Test, protected Scene {
 protected:
  static std::string path(const std::string& cloud, int count = 1, const std::string& more = "") {
    return "GET catalog/gpus?include=AVAILABILITY&product=POD&count=" + std::to_string(count) + "&cloud=" + cloud + more;
  }
  Result<std::vector<Candidate>> offered(const std::vector<json>& gpus, const std::string& call = path("SECURE")) {
    auto made = provider();
    for (auto& c : calls_) api->script[c] = {http_reply(200, json{{"gpus", gpus}})};
    api->script[call] = {http_reply(200, json{{"gpus", gpus}})};
    return made->candidates(layer);
  }
  std::vector<std::string> calls_;
};

TEST_F(RunPodCatalogue, ComesInThePlansOrder) {
  layer.options = {{"gpu", {"NVIDIA L40S", "NVIDIA L4"}}, {"cloud", {"COMMUNITY", "SECURE"}}, {"data-centers", {"EU-RO-1", "US-TX-3"}}};
  calls_ = {path("COMMUNITY")};
  auto list = offered({gpu("NVIDIA L4", 0.43, 0.3), gpu("NVIDIA L40S", 0.86, 0.79)});
  ASSERT_TRUE(list) << list.error().what;
  std::vector<std::string> texts;
  for (auto& c : *list) texts.push_back(c.text + (c.in_stock ? "" : " (none)"));
  EXPECT_EQ(texts, (std::vector<std::string>{"NVIDIA L40S, COMMUNITY, EU-RO-1 (none)", "NVIDIA L40S, COMMUNITY, US-TX-3",
                                             "NVIDIA L40S, SECURE, EU-RO-1 (none)", "NVIDIA L40S, SECURE, US-TX-3",
                                             "NVIDIA L4, COMMUNITY, EU-RO-1 (none)", "NVIDIA L4, COMMUNITY, US-TX-3",
                                             "NVIDIA L4, SECURE, EU-RO-1 (none)", "NVIDIA L4, SECURE, US-TX-3"}));
  EXPECT_EQ((*list)[1].machine, "NVIDIA L40S");
  EXPECT_EQ((*list)[1].market, "COMMUNITY");
  EXPECT_EQ((*list)[1].zone, "US-TX-3");
  EXPECT_EQ((*list)[1].price_source, "RunPod's catalogue, 2023-11-14T22:13:20Z");
}

TEST_F(RunPodCatalogue, ThePriceIsOfAllGpusAndTheDisk) {
  layer.options["gpus"] = {"4"}, layer.options["disk"] = {"73 GB"}, layer.options["min-cuda"] = {"12.8"};
  auto list = offered({gpu("NVIDIA L4", 0.43, 0.3)}, path("SECURE", 4, "&minCudaVersion=12.8"));
  ASSERT_TRUE(list) << list.error().what;
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().text, "4 x NVIDIA L4, SECURE");
  EXPECT_TRUE(list->front().price_known);
  EXPECT_EQ(list->front().hourly.micro, 4 * 430'000 + 10'000);  // 73 GB at $0.10 a month of 730 hours
  EXPECT_TRUE(list->front().in_stock);
}

TEST_F(RunPodCatalogue, APriceThatCannotBeRightIsNone) {
  for (auto& price : {json{{"community", 0.3}}, json{{"secure", 0}}, json{{"secure", -1}}, json{{"secure", 5000}}, json{{"secure", "0.4"}},
                      json{{"secure", nullptr}}, json("0.4")}) {
    auto strange = gpu("NVIDIA L4", 0.4, 0.3);
    strange["price"] = price;
    auto list = offered({strange});
    ASSERT_TRUE(list);
    EXPECT_FALSE(list->front().price_known) << price;
    EXPECT_EQ(list->front().hourly.micro, 0);
  }
  EXPECT_FALSE(offered({})->front().price_known) << "not in the catalogue";
}

TEST_F(RunPodCatalogue, StockIsWhatRunPodSays) {
  EXPECT_FALSE(offered({gpu("NVIDIA L4", 0.4, 0.3, "NONE")})->front().in_stock);
  EXPECT_TRUE(offered({gpu("NVIDIA L4", 0.4, 0.3, "LOW")})->front().in_stock);
  EXPECT_FALSE(offered({})->front().in_stock);
  layer.options["gpus"] = {"16"};
  EXPECT_FALSE(offered({gpu("NVIDIA L4", 0.4, 0.3)}, path("SECURE", 16))->front().in_stock) << "no machine has so many";
}

TEST_F(RunPodCatalogue, AReplyThatIsNoneIsAnError) {
  auto made = provider();
  for (auto& [reply, code] : std::vector<std::pair<HttpResult, Errc>>{{http_reply(200, "{\"gpus\":"), Errc::transport},
                                                                      {http_reply(200, "{}"), Errc::transport},
                                                                      {test::lost(false), Errc::transport},
                                                                      {test::problem(503, "later"), Errc::transport},
                                                                      {test::problem(401, "who"), Errc::auth}}) {
    api->script[path("SECURE")] = {reply};
    auto list = made->candidates(layer);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().code, code);
  }
}

TEST_F(RunPodCatalogue, OptionsThatCannotBeAreNamed) {
  for (auto& [options, what] : std::vector<std::pair<Options, std::string>>{
           {{{"gpu", {"X"}}, {"cloud", {"ALL"}}}, "cloud: \"ALL\" cannot be; expected SECURE, COMMUNITY or both in the order to try"},
           {{{"gpu", {"X"}}, {"gpus", {"0"}}}, "gpus: \"0\" cannot be; expected a number from 1 to 64"},
           {{{"gpu", {"X"}}, {"disk", {"big"}}}, "disk: \"big\" cannot be; expected a size like \"50 GB\""},
           {{{"gpu", {"X"}}, {"min-cuda", {"12"}}}, "min-cuda: \"12\" cannot be; expected a version like \"12.8\""},
           {{{"gpu", {"X"}}, {"accept-weak-lease", {"maybe"}}}, "accept-weak-lease: \"maybe\" cannot be; expected true or false"},
           {{}, "gpu: expected the id of a GPU, or several in the order to try"}}) {
    layer.options = options;
    auto made = provider();
    auto list = made->candidates(layer);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().code, Errc::config);
    EXPECT_EQ(list.error().what, what);
    EXPECT_EQ(made->preflight(layer).front().what, what);
    EXPECT_TRUE(std::holds_alternative<Refused>(made->create(layer, resource)));
    EXPECT_TRUE(api->asked.empty());
  }
}

}  // namespace
}  // namespace vt
