#include <csignal>
#include <vector>

#include "kernels/pattern.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/unit/doubles/child.hpp"

using namespace vt;
using gpu::Place;
using kernels::Miscompares;
using kernels::u64;
using test::FakeGpus;
using test::in_child;

namespace {

constexpr u64 kWords = 1000, kBytes = kWords * sizeof(u64), kSeed = 7;

#define MUST(expression)                              \
  do {                                                \
    auto must_have = (expression);                    \
    ASSERT_TRUE(must_have) << must_have.error().what; \
  } while (false)

gpu::Buffer buffer_of(gpu::Device& device, std::size_t bytes, Place place = Place::device) {
  auto made = device.allocate(bytes, place);
  EXPECT_TRUE(made) << made.error().what;
  return made ? std::move(made).take() : gpu::Buffer();
}

std::unique_ptr<gpu::Device> device_at(int ordinal) {
  auto opened = gpu::open(ordinal);
  EXPECT_TRUE(opened) << opened.error().what;
  return opened ? std::move(opened).take() : nullptr;
}

Status fill(gpu::Device& device, const gpu::Buffer& words, gpu::Stream stream = {}) {
  return device.launch(VT_NAMED(vt_fill_words), {kWords}, stream, words.as<u64>(), kWords, kSeed);
}

u64 count_wrong(gpu::Device& device, const gpu::Buffer& words) {
  auto report = buffer_of(device, sizeof(Miscompares)), there = buffer_of(device, sizeof(Miscompares), Place::pinned);
  EXPECT_TRUE(device.set(report.as<void>(), 0, report.bytes()));
  EXPECT_TRUE(device.launch(VT_NAMED(vt_verify_words), {kWords}, {}, words.as<u64>(), kWords, kSeed, report.as<Miscompares>()));
  EXPECT_TRUE(device.copy(there.as<void>(), report.as<void>(), report.bytes()));
  EXPECT_TRUE(device.finish());
  return there.as<Miscompares>()->count;
}

}  // namespace

TEST(FakeDevices, AreWhatTheConfigurationSays) {
  FakeGpus gpus(2);
  gpus.gpu(1)["sm"] = 89;
  in_child(gpus, [] {
    EXPECT_EQ(gpu::count().value_or(0), 2);
    auto device = device_at(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->info().name, "NVIDIA GeForce RTX 5090");
    EXPECT_EQ(device->info().uuid, "GPU-5090f00d-0000-4000-8000-000000000000");
    EXPECT_EQ(device->info().pci, "0000:01:00.0");
    EXPECT_EQ(device->info().sm, 120);
    EXPECT_EQ(device->info().memory, 32607ULL << 20);
    EXPECT_EQ(device->free_memory().value_or(0), 64ULL << 20);
    EXPECT_EQ(device_at(1)->info().sm, 89);
  });
}

TEST(FakeDevices, RunKernelsAndFindWhatChanged) {
  FakeGpus gpus;
  in_child(gpus, [] {
    auto device = device_at(0);
    auto words = buffer_of(*device, kBytes);
    MUST(fill(*device, words));
    EXPECT_EQ(count_wrong(*device, words), 0U);
    MUST(device->launch(VT_NAMED(vt_flip_bit), {1}, {}, words.as<u64>(), u64{17}, u64{3}));
    EXPECT_EQ(count_wrong(*device, words), 1U);
    auto here = buffer_of(*device, kBytes, Place::pageable);
    MUST(device->copy(here.as<void>(), words.as<void>(), kBytes));  // waits: pageable
    EXPECT_EQ(here.as<u64>()[16], kernels::word_at(kSeed, 16));
    EXPECT_EQ(here.as<u64>()[17], kernels::word_at(kSeed, 17) ^ 8);
  });
}

TEST(FakeDevices, CompileWhereThereIsNoMachineCodeForThem) {
  FakeGpus gpus;
  in_child(gpus, [] {
    setenv("VT_RUNG", "nvrtc", 1);
    EXPECT_EQ(device_at(0)->rung(), "NVRTC 13.0 sm_120");
  });
}

TEST(FakeDevices, HaveNoMoreMemoryThanTheySay) {
  FakeGpus gpus;
  in_child(gpus, [] {
    auto device = device_at(0);
    auto most = buffer_of(*device, 60U << 20);
    auto more = device->allocate(8U << 20);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, Errc::capacity);
    EXPECT_EQ(device->free_memory().value_or(0), 4U << 20);
    most = gpu::Buffer();
    EXPECT_TRUE(device->allocate(8U << 20));
  });
}

TEST(FakeDevices, KeepTheOrderOfStreamsAndMarks) {
  FakeGpus gpus;
  gpus.gpu(0)["kernel_seconds"] = {{"vt_fill_words", 2.0}};
  gpus.gpu(0)["copy_gbs"] = 1000;
  in_child(gpus, [] {
    auto device = device_at(0);
    auto words = buffer_of(*device, kBytes), copy = buffer_of(*device, kBytes);
    auto a = device->new_stream().value_or(gpu::Stream{}), b = device->new_stream().value_or(gpu::Stream{});
    auto begin = device->new_mark().value_or(gpu::Mark{}), filled = device->new_mark().value_or(gpu::Mark{}),
         end = device->new_mark().value_or(gpu::Mark{});
    MUST(device->mark(begin, a));
    MUST(fill(*device, words, a));
    MUST(device->mark(filled, a));
    MUST(device->after(b, filled));
    MUST(device->copy(copy.as<void>(), words.as<void>(), kBytes, b));
    MUST(device->mark(end, b));
    MUST(device->wait(end));
    EXPECT_NEAR(device->seconds(begin, filled).value_or(0), 2.0, 0.1);  // as modelled
    EXPECT_NEAR(device->seconds(begin, end).value_or(0), 2.0, 0.1);     // the other stream waited
    EXPECT_EQ(count_wrong(*device, copy), 0U);
  });
}

TEST(FakeDevices, ReachEachOtherOnlyWithP2p) {
  FakeGpus apart(2), together(2);
  together.all_p2p();
  in_child(apart, [] {
    auto a = device_at(0), b = device_at(1);
    auto refused = a->reach(*b);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::refused);
  });
  in_child(together, [] {
    auto a = device_at(0), b = device_at(1);
    MUST(a->reach(*b));
    auto from = buffer_of(*a, kBytes), to = buffer_of(*b, kBytes);
    MUST(fill(*a, from));
    MUST(a->copy(to.as<void>(), from.as<void>(), kBytes));
    MUST(a->finish());
    EXPECT_EQ(count_wrong(*b, to), 0U);
  });
}

TEST(FakeFaults, ChangeAByteBetweenTwoGpus) {
  FakeGpus gpus(2);
  gpus.fault_corrupt_p2p(0, 1);
  in_child(gpus, [] {
    auto a = device_at(0), b = device_at(1);
    auto from = buffer_of(*a, kBytes), to = buffer_of(*b, kBytes);
    MUST(fill(*a, from));
    MUST(a->copy(to.as<void>(), from.as<void>(), kBytes));
    MUST(a->finish());
    EXPECT_EQ(count_wrong(*b, to), 1U);
    MUST(b->copy(from.as<void>(), to.as<void>(), kBytes));  // the other direction is sound: still one
    MUST(b->finish());
    EXPECT_EQ(count_wrong(*a, from), 1U);
  });
}

TEST(FakeFaults, ChangeWhatAKernelWroteAndWhatMemoryHolds) {
  FakeGpus wrong, flawed;
  wrong.fault_wrong_element(0, "vt_fill_words", 0, 99 * sizeof(u64), 5);
  in_child(wrong, [] {
    auto device = device_at(0);
    auto words = buffer_of(*device, kBytes);
    MUST(fill(*device, words));
    EXPECT_EQ(count_wrong(*device, words), 1U);
  });
  flawed.fault_memory(0, 4096 + 16, 0, true), flawed.fault_memory(0, 4096 + 16, 1, false);
  in_child(flawed, [] {
    auto device = device_at(0);
    auto first = buffer_of(*device, 4096), words = buffer_of(*device, 4096);
    auto here = buffer_of(*device, 4096, Place::pinned);
    for (int byte : {0, 0xff}) {
      MUST(device->set(words.as<void>(), static_cast<unsigned char>(byte), 4096));
      MUST(device->copy(here.as<void>(), words.as<void>(), 4096));
      MUST(device->finish());
      EXPECT_EQ(here.as<unsigned char>()[16], byte == 0 ? 0x01 : 0xfd);
      EXPECT_EQ(here.as<unsigned char>()[15], byte);
    }
  });
}

TEST(FakeFaults, SpoilTheContextOrLoseTheDevice) {
  FakeGpus spoilt, lost;
  spoilt.fault_launch(0, 700, 1);
  in_child(spoilt, [] {
    auto device = device_at(0);
    auto words = buffer_of(*device, kBytes);
    MUST(fill(*device, words));
    MUST(device->finish());
    MUST(fill(*device, words));  // told later, as the driver does
    auto finished = device->finish();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, Errc::lost);
    EXPECT_NE(finished.error().what.find("700"), std::string::npos) << finished.error().what;
    EXPECT_FALSE(device->allocate(8)) << "an error stays";
  });
  lost.fault_lost(0, 1);
  in_child(lost, [] {
    auto device = device_at(0);
    auto words = buffer_of(*device, kBytes);
    MUST(fill(*device, words));
    auto launched = fill(*device, words);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, Errc::lost);
  });
  in_child(lost, [] { EXPECT_FALSE(gpu::open(0)) << "it stays lost for other processes"; });
}

TEST(FakeFaults, LetAStreamHangAndNothingElse) {
  FakeGpus gpus(2);
  gpus.fault_hang(0, "launch");
  in_child(gpus, [] {
    auto hanging = device_at(0), sound = device_at(1);
    auto words = buffer_of(*hanging, kBytes), others = buffer_of(*sound, kBytes);
    MUST(fill(*hanging, words));  // returns at once
    MUST(fill(*sound, others));
    EXPECT_EQ(count_wrong(*sound, others), 0U);
    ualarm(100'000, 0);  // and this never does
    std::signal(SIGALRM, [](int) { _exit(testing::Test::HasFailure() ? 1 : 0); });
    (void)hanging->finish();
    ADD_FAILURE() << "it did not hang";
  });
}

TEST(FakeFaults, RefuseToStart) {
  FakeGpus mismatch, uncompiled;
  mismatch.fault_driver_mismatch();
  in_child(mismatch, [] {
    auto opened = gpu::open(0);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().what.find("803"), std::string::npos) << opened.error().what;
  });
  uncompiled.fault_nvrtc();
  in_child(uncompiled, [] {
    setenv("VT_RUNG", "nvrtc", 1);
    auto opened = gpu::open(0);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().what.find("as the test wants it"), std::string::npos) << opened.error().what;
  });
}

TEST(FakeDevices, RefuseStreamsOfOtherDevicesWhereADriverDoes) {
  FakeGpus gpus(2);
  in_child(gpus, [] {
    auto device = device_at(0), other = device_at(1);
    ASSERT_TRUE(device && other);
    auto words = buffer_of(*device, kBytes);
    auto stream = other->new_stream();
    MUST(stream);
    auto mark = device->new_mark();
    MUST(mark);
    EXPECT_FALSE(fill(*device, words, *stream)) << "launches want a stream of their own context";
    EXPECT_FALSE(device->mark(*mark, *stream)) << "events as well";
    MUST(device->mark(*mark));
    MUST(other->after(*stream, *mark));  // waiting for another device is allowed
    MUST(other->finish(*stream));
  });
}
