#include "providers/emulator/world.hpp"

#include <cstring>

namespace vt::emulator {

std::string World::draw(std::size_t length, const char* alphabet) {
  std::string text;
  for (auto letters = std::strlen(alphabet); text.size() < length;) text += alphabet[random() % letters];
  return text;
}

void World::after(Duration emulated, std::function<void()> what) {
  clock.after(emulated, [this, what = std::move(what)] {
    std::lock_guard lock(mutex);
    if (!ending) what();
  });
}

}  // namespace vt::emulator
