#pragma once
#include "orchestrator/model/check.hpp"
#include "orchestrator/plan/node.hpp"

namespace vt {

/// Adds the rows of one catalogue file: `vault-test-checks` or `vault-test-suites`.
void read_catalogue_file(const yaml::Node&, Catalogue&, Problems&);
/// What only the whole shows: ids given twice, names that do not exist, checks that wait for each other.
void check_catalogue(const Catalogue&, Problems&);

}  // namespace vt
