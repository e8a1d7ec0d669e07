#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vt::test {

/// Adds one line to the file that VAULT_TEST_FIGURES names, from which tests/promise-figures makes the table of docs/promises.md:
/// {"promise":"P1","test":"Killed…","scenarios":12,…}. Numbers of one promise are added up there.
void note_figures(const std::string& promise, nlohmann::json figures);
/// A failpoint that a test killed the program at, or could not reach.
void note_failpoint(const std::string& name, bool reached);

}  // namespace vt::test
