#include "orchestrator/engine/subject.hpp"

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

namespace {

Result<std::string> git(const std::string& folder, const std::string& arguments) {
  auto deadline = Deadline::after(std::chrono::seconds(30));
  VT_TRY(auto here, connect(Host{}, deadline));
  VT_TRY(ExecResult result, exec(*here, "git -C " + shell_quote(folder) + " " + arguments, "", deadline));
  if (result.exit_code == 0) return result.out;
  return fail(Errc::config, "subject " + folder + ": git said: " + std::string(trim(result.err.empty() ? result.out : result.err)));
}

}  // namespace

Result<Subject> read_subject(const SubjectSpec& spec) {
  Subject subject;
  if (spec.git.empty()) return subject;
  VT_TRY(std::string root, git(spec.git, "rev-parse --show-toplevel"));
  VT_TRY(std::string commit, git(spec.git, "rev-parse HEAD"));
  VT_TRY(std::string changes, git(spec.git, "status --porcelain=v1 --untracked-files=normal"));
  VT_TRY(std::string diff, git(spec.git, "diff HEAD --no-ext-diff --no-textconv | head -c 1000000"));
  subject.path = std::string(trim(root));
  subject.commit = std::string(trim(commit));
  subject.dirty = !trim(changes).empty();
  subject.digest = sha256_hex(subject.commit + "\n" + changes + "\n" + diff);
  if (spec.require_clean && subject.dirty)
    return fail(Errc::config,
                "subject " + subject.path + " has uncommitted changes, and the plan requires a clean one; commit or stash them");
  return subject;
}

}  // namespace vt
