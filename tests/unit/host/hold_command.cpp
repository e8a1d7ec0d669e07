// Starts a long command on this machine, prints its process id and waits to be killed.
#include <unistd.h>

#include <iostream>

#include "orchestrator/host/local_transport.hpp"

int main() {
  auto transport = vt::make_local_transport();
  auto deadline = vt::Deadline::after(vt::Duration{10'000});
  auto stream = transport->open("echo $$; exec sleep 1000", deadline);
  if (!stream) return 1;
  auto chunk = (*stream)->read(deadline);
  if (!chunk) return 1;
  std::cout << chunk->bytes << std::flush;
  pause();
}
