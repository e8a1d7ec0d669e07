#pragma once
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/model/subject.hpp"

namespace vt {

/// Looks at the repository under test. An empty path gives an empty subject. Errc::config if it is no git repository, or
/// if the plan requires a clean one and it is not.
Result<Subject> read_subject(const SubjectSpec&);

}  // namespace vt
