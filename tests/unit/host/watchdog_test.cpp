#include "orchestrator/host/watchdog.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "orchestrator/host/fd.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Fd a, b;
  Pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    a.reset(ends[0]), b.reset(ends[1]);
  }
};

TEST(Watchdog, FreesABlockedReadAtTheDeadline) {
  Pair pair;
  auto begin = std::chrono::steady_clock::now();
  Watchdog guard({pair.a.get()}, Deadline::after(50ms));
  char byte;
  EXPECT_EQ(recv(pair.a.get(), &byte, 1, 0), 0);
  EXPECT_TRUE(guard.fired());
  auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, 49ms);
  EXPECT_LT(took, 1s);
}

TEST(Watchdog, DoesNotTouchTheSocketAfterItsLife) {
  Pair pair;
  { Watchdog guard({pair.a.get()}, Deadline::after(5ms)); }
  {
    Watchdog later({pair.b.get()}, Deadline::after(1h));
    char byte;
    timeval wait{0, 30'000};
    setsockopt(pair.a.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    EXPECT_EQ(recv(pair.a.get(), &byte, 1, 0), -1);  // still open: nothing came
    EXPECT_FALSE(later.fired());
  }
  EXPECT_EQ(send(pair.a.get(), "x", 1, MSG_NOSIGNAL), 1);
}

TEST(Watchdog, ServesASoonerDeadlineThatComesLater) {
  Pair slow, quick;
  Watchdog far({slow.a.get()}, Deadline::after(1h));
  Watchdog near({quick.a.get()}, Deadline::after(30ms));
  char byte;
  EXPECT_EQ(recv(quick.a.get(), &byte, 1, 0), 0);
  EXPECT_FALSE(far.fired());
}

}  // namespace
}  // namespace vt
