#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace vt::probe {

struct ChildText {
  std::string text;       ///< what it wrote before it ended or its time was up
  bool finished = false;  ///< it ended in time
};

/// Runs `work` in a forked child, so that what may hang, crash or change the process (foreign libraries, name look-ups, namespaces)
/// cannot hurt the agent. `work` gets the descriptor to write to; its standard streams are /dev/null. The child and what it started
/// are killed when `limit` is over; one stuck in the kernel is left behind, never waited for.
ChildText in_child(const std::function<void(int out)>& work, std::chrono::milliseconds limit);

/// Writes it all, ignoring errors: the reader sees less, which is what it has to cope with anyway.
void say(int out, const std::string& text);

}  // namespace vt::probe
