#include "remote-agent/checks/nccl_transport.hpp"

#include <gtest/gtest.h>

using vt::checks::nccl_transport;

TEST(NcclTransport, EveryWayOnceAndSorted) {
  auto told = nccl_transport(
      "host:7:9 [0] NCCL INFO Using network Socket\n"
      "host:7:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct\n"
      "host:7:9 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "host:7:9 [0] NCCL INFO Channel 02/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
      "host:7:9 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [receive] via NET/Socket/0\n");
  EXPECT_EQ(told["transport"], "NET/Socket/0, P2P/CUMEM, SHM/direct/direct");
  EXPECT_EQ(told["network"], "Socket");
}

TEST(NcclTransport, ChannelsAndNvls) {
  auto line = [](const char* nvls) {
    return std::string("host:7:9 [0] NCCL INFO 24 coll channels, 24 collnet channels, ") + nvls + " nvls channels, 32 p2p channels\n";
  };
  EXPECT_EQ(nccl_transport(line("16"))["channels"], 24);
  EXPECT_EQ(nccl_transport(line("16"))["nvls"], true);
  EXPECT_EQ(nccl_transport(line("0"))["nvls"], false);
}

TEST(NcclTransport, NothingIsMadeUp) {
  auto told = nccl_transport("");
  EXPECT_EQ(told["transport"], "");
  EXPECT_EQ(told["network"], "");
  EXPECT_EQ(told["channels"], 0);
  EXPECT_EQ(nccl_transport("Channel\n via \ncoll channels\n coll channels")["channels"], 0);
  EXPECT_EQ(nccl_transport("traffic via P2P")["transport"], "");  // no line of a channel
}
