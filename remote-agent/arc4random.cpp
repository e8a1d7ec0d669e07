#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

/// libstdc++'s random_device asks for this symbol, which glibc has from 2.36 on. Defined here, the agent starts on 2.35 too.
extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t out = 0;
  if (getrandom(&out, sizeof out, 0) != sizeof out) std::abort();
  return out;
}
