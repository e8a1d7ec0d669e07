#pragma once
#include <cmath>
#include <cstdio>
#include <string>

namespace vt {

/// A measured figure for people: four digits, and from 1000 on six, so that none ends as 1.234e+04.
inline std::string figure_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", std::fabs(value) < 1000 ? 4 : 6, value);
  return text;
}

}  // namespace vt
