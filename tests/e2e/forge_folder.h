#pragma once

#include <memory>
#include <string>

#include "workspace.h"

namespace orch::e2e {

// A forge of the test's own (script/forge), which the real gh asks and the real git pushes to, and
// a clone of its repository o/r in the workspace's project.
class ForgeFolder {
 public:
  explicit ForgeFolder(const Workspace& workspace);

  // Carries out steps of script/forge, and returns what they answer.
  std::vector<Json> tell(const std::vector<Json>& steps) const;
  std::vector<std::string> requests() const;  // since the last time
  std::vector<Json> pulls() const;
  // The commit of a branch of the repository there; "" if it has none.
  std::string branch(const std::string& name) const;
  // The launch with a home in which gh and git find the forge.
  Launch with_login(Launch launch) const;
  Outcome orch(Words words) const;
  // Runs the demo agent on the issue, and `script` in its worktree as a gate.
  Outcome work(const std::string& script, Words words = {}, const std::string& issue = "42") const;

  std::string git() const { return path_ + "/git/o/r.git"; }

 private:
  const Workspace& workspace_;
  std::string path_;
  std::unique_ptr<Program> server_;
};

// Checks the exit code, and that either stream has the text.
void check_said(const Outcome& outcome, int code, const std::string& said);

// Whether there is a gh; where there is none, says that the test is skipped.
bool has_gh();

}  // namespace orch::e2e
