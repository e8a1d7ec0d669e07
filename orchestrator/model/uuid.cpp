#include "orchestrator/model/uuid.hpp"

#include <random>

namespace vt {

std::string new_uuid() {
  std::random_device source;
  std::uniform_int_distribution<unsigned> nibble(0, 15);
  std::string out = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (auto& c : out)
    if (c == 'x' || c == 'y') c = "0123456789abcdef"[c == 'x' ? nibble(source) : 8 + nibble(source) % 4];
  return out;
}

}  // namespace vt
