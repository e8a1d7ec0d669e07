#pragma once
#include <string>
#include <vector>

namespace vt {

/// A place in a file the user wrote. Lines and columns count from 1; 0 = the file as a whole.
struct SourceLocation {
  std::string file;
  int line = 0, column = 0;
};

/// One thing wrong with the user's input: "what; expected what, nearest name".
struct Problem {
  SourceLocation where;
  std::string what;
  [[nodiscard]] std::string text() const {  ///< "file:line:column: what"
    return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + what;
  }
};
using Problems = std::vector<Problem>;

}  // namespace vt
