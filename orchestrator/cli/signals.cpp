#include "orchestrator/cli/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace vt {

namespace {
StopFlag stop_flag;  // a signal handler can only reach a global
void on_signal(int) { stop_flag.raise(); }
}  // namespace

StopFlag& stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup means it
  }
  return stop_flag;
}

}  // namespace vt
