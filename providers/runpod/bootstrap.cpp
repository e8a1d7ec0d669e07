#include "providers/runpod/bootstrap.hpp"

#include <sstream>

#include "providers/runpod/bootstrap_text.hpp"

namespace vt::runpod {

std::string start_command() {
  std::istringstream script(kBootstrap);
  std::string out;
  for (std::string line; std::getline(script, line);) {
    auto text = line.find_first_not_of(' ');
    if (text != std::string::npos && line[text] != '#') out += line.substr(text) + "\n";
  }
  return "sh -c '" + out + "'";
}

}  // namespace vt::runpod
