#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orch::policy {

// Commands that no policy allows unless it overrides the entry by its name. Commands whose effect
// the repository's history or a build can undo are not on the list: git reset --hard, git clean,
// rebasing, removing files inside the work directory.
enum class DenyEntry : uint8_t {
  kRemoveRoot,       // "remove-root": removes / ~ . .. or system folders recursively, or all of
                     //   their contents; also the work directory or a folder that holds it
  kForcePush,        // "force-push": git push that overwrites or deletes (also with a lease)
  kPipeToShell,      // "pipe-to-shell": runs downloaded code
  kOutsideWrite,     // "outside-write": writes outside of the work directory, except to /tmp and
                     //   the likes of /dev/null
  kDisk,             // "disk": makes file systems or writes to devices
  kRootPermissions,  // "root-permissions": chmod, chown -R of what remove-root protects
  kShutdown,         // "shutdown"
  kForkBomb,         // "fork-bomb"
  kKillAll,          // "kill-all": kill -1, every process of a user
  kPublish,          // "publish": makes a package, a release, an image or a merge public, or sends
                     //   away a key or a file from outside
  kProtectedWrite,   // "protected-write": writes files in the work directory that make other
                     //   programs run commands: .git/hooks, .git/config, .orch, agents' settings
};
std::string_view name(DenyEntry entry);
std::optional<DenyEntry> deny_entry_named(std::string_view name);

// An entry of the denylist that a command was found to fit. It is not certain if only the shell
// knows whether the command fits.
struct Suspicion {
  DenyEntry entry = DenyEntry::kRemoveRoot;
  bool certain = true;
  bool operator==(const Suspicion&) const = default;
};

struct CommandVerdict {
  bool readable = true;  // false: the command, or a part of it, may do anything
  std::vector<Suspicion> found;

  void suspect(DenyEntry entry, bool certain) { found.push_back({entry, certain}); }
  void cannot_read() { readable = false; }
};

// Whether a fence around the work directory prevents the action that the entry denies. A fence
// prevents writes, but not messages to other machines or to the system.
bool held_by_fence(DenyEntry entry);

// Whether what the entry denies harms only the container or machine where the agent runs.
bool stays_inside(DenyEntry entry);

// The assumptions about variables that a command does not set itself.
enum class Environment : uint8_t {
  kUnknown,        // nothing
  kUsualPrograms,  // as kUsual, but only in the word that names the program
  kUsual,          // $TMPDIR and $VIRTUAL_ENV are set, ${X:-word} is the word
};

// Reads a command line of bash that would run in `work_dir` (absolute). It judges every simple
// command in it, including those in $(...), in sh -c '...' and behind sudo, xargs and the like.
// Words that are only data (of echo, a commit message, a pattern) do not count as commands. A
// command that cannot be read to its end or is not understood is not readable, but a part of it may
// still be denied for certain.
CommandVerdict judge_command(std::string_view command, std::string_view work_dir,
                             Environment environment = Environment::kUnknown);

// Judges the writing of a file with an agent's edit tool.
std::optional<Suspicion> judge_write(std::string_view path, std::string_view work_dir);

}  // namespace orch::policy
