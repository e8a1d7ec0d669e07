#include "providers/runpod/pod.hpp"

#include <gtest/gtest.h>

#include "tests/unit/runpod/fake_api.hpp"

namespace vt {
namespace {

using runpod::has_mark;
using runpod::PodStatus;
using test::json;
using test::pod_json;

TEST(RunPodPods, AreReadFieldByField) {
  auto from = pod_json("pod1");
  from["ssh"]["direct"] = {{"host", "195.26.233.3"}, {"port", 34446}, {"username", "root"}, {"command", "ssh …"}};
  from["runtime"] = {{"uptime", 60}, {"gpus", {{{"util", 1}}}}};
  auto pod = runpod::read_pod(from);
  ASSERT_TRUE(pod) << pod.error().what;
  EXPECT_EQ(pod->id, "pod1");
  EXPECT_EQ(pod->status, PodStatus::running);
  EXPECT_EQ(pod->gpu, "NVIDIA L4");
  EXPECT_EQ(pod->gpu_count, 1);
  EXPECT_EQ(pod->gpus_seen, 1);
  EXPECT_EQ(pod->cuda, "12.8");
  EXPECT_EQ(pod->hourly.micro, 440'000);
  ASSERT_TRUE(pod->ssh);
  EXPECT_EQ(pod->ssh->host, "195.26.233.3");
  EXPECT_EQ(pod->ssh->port, 34446);
  EXPECT_EQ(pod->ended(), "");
}

TEST(RunPodPods, OfTheirEnvironmentOnlyOurMarksAreRead) {
  auto from = pod_json("pod1");
  from["env"]["HF_TOKEN"] = "canary", from["env"]["VT_HOST_KEY"] = "canary", from["env"]["VT_CLIENT_KEY"] = "x", from["env"]["VT_N"] = 7;
  auto pod = runpod::read_pod(from);
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->marks.size(), 4U);
  EXPECT_EQ(pod->marks.count("HF_TOKEN") + pod->marks.count("VT_HOST_KEY") + pod->marks.count("VT_CLIENT_KEY"), 0U);
}

TEST(RunPodPods, EveryStatusHasItsMeaning) {
  auto ended = [](const std::string& status) { return runpod::read_pod(pod_json("p", status))->ended(); };
  for (auto status : {"PROVISIONING", "STARTING", "RUNNING", "MIGRATING", "", "terminated"}) EXPECT_EQ(ended(status), "") << status;
  EXPECT_EQ(runpod::read_pod(pod_json("p", "MIGRATING"))->status, PodStatus::unknown);
  EXPECT_EQ(ended("EXITED"), "RunPod shows the pod as EXITED");
  EXPECT_EQ(ended("ERROR"), "RunPod shows the pod as ERROR");
  EXPECT_EQ(ended("TERMINATED"), "RunPod shows the pod as TERMINATED");
}

TEST(RunPodPods, StrangeShapesAreNoPodOrHaveLess) {
  for (auto& from : {json(), json::array(), json{{"id", ""}}, json{{"id", 5}}, json{{"id", "a b"}}, json{{"name", "x"}}})
    EXPECT_FALSE(runpod::read_pod(from)) << from;
  auto bare = runpod::read_pod({{"id", "p"}});
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->status, PodStatus::unknown);
  EXPECT_FALSE(bare->ssh);
  EXPECT_FALSE(bare->gpu_count);
  EXPECT_FALSE(bare->gpus_seen);
  auto wild = runpod::read_pod({{"id", "p"}, {"gpu", 3}, {"env", "x"}, {"ssh", json::array()}, {"cost", "much"}, {"runtime", nullptr}});
  ASSERT_TRUE(wild);
  EXPECT_EQ(wild->hourly.micro, 0);
}

TEST(RunPodPods, AnAddressThatIsNoneIsNotPassedOn) {
  for (auto& direct : std::vector<json>{{{"host", "1.2.3.4"}, {"port", 0}},
                                        {{"host", "1.2.3.4"}, {"port", 70'000}},
                                        {{"host", "1.2.3.4"}, {"port", "22"}},
                                        {{"host", ""}, {"port", 22}},
                                        {{"host", "-oProxyCommand=x"}, {"port", 22}},
                                        {{"host", "a b"}, {"port", 22}},
                                        {{"host", "1.2.3.4"}, {"port", 22}, {"username", "$(id)"}},
                                        {{"port", 22}}}) {
    auto from = pod_json("p");
    from["ssh"]["direct"] = direct;
    EXPECT_FALSE(runpod::read_pod(from)->ssh) << direct;
  }
}

TEST(RunPodPods, MarksTellWhoseAPodIs) {
  auto pod = runpod::read_pod(pod_json("p")).value();
  EXPECT_TRUE(has_mark(pod, "aaaaaaaa"));
  EXPECT_TRUE(has_mark(pod, ""));
  EXPECT_FALSE(has_mark(pod, "aaaaaaa"));
  EXPECT_FALSE(has_mark(pod, "cccccccc"));
  pod.marks.clear();
  EXPECT_TRUE(has_mark(pod, "aaaaaaaa")) << "by its name";
  pod.name = "renamed";
  EXPECT_FALSE(has_mark(pod, "aaaaaaaa"));
  EXPECT_FALSE(has_mark(pod, ""));
  pod.marks["VT_INSTALL"] = "aaaaaaaa";
  EXPECT_TRUE(has_mark(pod, "aaaaaaaa")) << "by its environment";
}

TEST(RunPodPods, TheOwnerIsWhatThePodSays) {
  auto r = runpod::resource_of(runpod::read_pod(pod_json("p")).value());
  EXPECT_EQ(r.provider, "runpod");
  EXPECT_EQ(r.provider_id, "p");
  EXPECT_EQ(r.owner.install, "aaaaaaaa");
  EXPECT_EQ(r.owner.attempt, "bbbbbbbbbbbbbbbb");
  EXPECT_EQ(r.owner.name, "vt-aaaaaaaa-bbbbbbbbbbbbbbbb");
  EXPECT_EQ(r.owner.token, "token");
  EXPECT_EQ(r.owner.expires, 1'700'003'600'000);
  for (auto text : {"", "-5", "soon", "1700003600x", "99999999999999999999"}) {
    auto from = pod_json("p");
    from["env"]["VT_EXPIRES"] = text;
    EXPECT_EQ(runpod::resource_of(runpod::read_pod(from).value()).owner.expires, 0) << text;
  }
}

}  // namespace
}  // namespace vt
