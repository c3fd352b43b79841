#include "policy/denylist.h"

#include <string>

#include "base/words.h"
#include "policy/command_judge.h"

namespace orch::policy {
namespace {

constexpr base::Words<DenyEntry, 11> kNames{{
    {DenyEntry::kRemoveRoot, "remove-root"},
    {DenyEntry::kForcePush, "force-push"},
    {DenyEntry::kPipeToShell, "pipe-to-shell"},
    {DenyEntry::kOutsideWrite, "outside-write"},
    {DenyEntry::kDisk, "disk"},
    {DenyEntry::kRootPermissions, "root-permissions"},
    {DenyEntry::kShutdown, "shutdown"},
    {DenyEntry::kForkBomb, "fork-bomb"},
    {DenyEntry::kKillAll, "kill-all"},
    {DenyEntry::kPublish, "publish"},
    {DenyEntry::kProtectedWrite, "protected-write"},
}};

// The folder without slashes at its end. An empty path (the folder is unknown) stays empty.
std::string_view without_slash(std::string_view work_dir) {
  while (work_dir.size() > 1 && work_dir.ends_with('/')) work_dir.remove_suffix(1);
  return work_dir;
}

}  // namespace

std::string_view name(DenyEntry entry) { return base::word_of(kNames, entry); }

std::optional<DenyEntry> deny_entry_named(std::string_view name) {
  return base::value_of(kNames, name);
}

bool held_by_fence(DenyEntry entry) {
  switch (entry) {
    case DenyEntry::kRemoveRoot:
    case DenyEntry::kOutsideWrite:
    case DenyEntry::kDisk:
    case DenyEntry::kRootPermissions:
      return true;
    case DenyEntry::kForcePush:
    case DenyEntry::kPipeToShell:
    case DenyEntry::kShutdown:
    case DenyEntry::kForkBomb:
    case DenyEntry::kKillAll:
    case DenyEntry::kPublish:
    case DenyEntry::kProtectedWrite:
      break;
  }
  return false;
}

bool stays_inside(DenyEntry entry) {
  return entry != DenyEntry::kForcePush && entry != DenyEntry::kPublish &&
         entry != DenyEntry::kProtectedWrite;
}

CommandVerdict judge_command(std::string_view command, std::string_view work_dir,
                             Environment environment) {
  CommandJudge judge(without_slash(work_dir), environment);
  judge.judge_text(command, {});
  return judge.verdict();
}

std::optional<Suspicion> judge_write(std::string_view path, std::string_view work_dir) {
  // A dialog shows the name of a file as it is, except that it may write the home as ~.
  const std::string_view folder = without_slash(work_dir);
  std::string full(path);
  if (path == "~" || path.starts_with("~/")) full = home_of(folder) + full.substr(1);
  Effects effects;
  const std::optional<std::string> dir{std::string(folder)};
  const std::vector<ShellWord> none;
  const Whereabouts where{folder, dir, effects.linked};
  judge_target(exact_word(full), {"", none, where, effects});
  if (effects.verdict.found.empty()) return std::nullopt;
  return effects.verdict.found.front();
}

}  // namespace orch::policy
