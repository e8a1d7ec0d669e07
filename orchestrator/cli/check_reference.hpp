#pragma once
#include <string>

#include "orchestrator/model/check.hpp"

namespace vt {

/// The catalogue as the Markdown page docs/checks.md.
std::string check_reference(const Catalogue&);

}  // namespace vt
