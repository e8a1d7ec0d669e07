#include "orchestrator/host/signals.hpp"

#include <string.h>

#include <csignal>

namespace vt {

int status_of_signal(std::string_view name) {
  for (int number = 1; number < NSIG; ++number)
    if (auto abbreviation = sigabbrev_np(number); abbreviation && name == abbreviation) return 128 + number;
  return 255;
}

}  // namespace vt
