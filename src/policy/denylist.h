#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orch::policy {

// Commands that no policy allows unless it overrides the entry by its name. Not on the list,
// because a repository's own history or a build brings it back: git reset --hard, git clean,
// rebasing, removing what is inside the work directory.
enum class DenyEntry : uint8_t {
  kRemoveRoot,       // "remove-root": recursive removal of / ~ . .. system folders, all of their
                     //   contents; of the work directory or what holds it
  kForcePush,        // "force-push": git push that overwrites or deletes (also with a lease)
  kPipeToShell,      // "pipe-to-shell": what was downloaded is run
  kOutsideWrite,     // "outside-write": writes outside of the work directory, but for /tmp and
                     //   the likes of /dev/null
  kDisk,             // "disk": file systems are made, devices written
  kRootPermissions,  // "root-permissions": chmod, chown -R of what remove-root protects
  kShutdown,         // "shutdown"
  kForkBomb,         // "fork-bomb"
  kKillAll,          // "kill-all": kill -1, every process of a user
  kPublish,          // "publish": a package, a release, an image or a merge is made public; a
                     //   key, or a file from outside, is sent away
  kProtectedWrite,   // "protected-write": in the work directory, but what tells other programs
                     //   what to run: .git/hooks, .git/config, .orch, agents' settings
};
std::string_view name(DenyEntry entry);
std::optional<DenyEntry> deny_entry_named(std::string_view name);

// What a command was found to do. Not certain: what decides it is known to the shell alone.
struct Suspicion {
  DenyEntry entry = DenyEntry::kRemoveRoot;
  bool certain = true;
  bool operator==(const Suspicion&) const = default;
};

struct CommandVerdict {
  bool readable = true;  // false: it, or a part of it, may be anything
  std::vector<Suspicion> found;

  void suspect(DenyEntry entry, bool certain) { found.push_back({entry, certain}); }
  void cannot_read() { readable = false; }
};

// Would a fence around the work directory hold what the entry is about? It holds writes, not what
// is said to other machines or to the system.
bool held_by_fence(DenyEntry entry);

// What is taken for granted of the variables that a command does not set itself.
enum class Environment : uint8_t {
  kUnknown,        // nothing
  kUsualPrograms,  // as kUsual, but for the word alone that names the program
  kUsual,          // $TMPDIR and $VIRTUAL_ENV are set, ${X:-word} is the word
};

// Reads a command line of bash, run in `work_dir` (absolute): every simple command of it, those in
// $(...), sh -c '...', behind sudo, xargs and the like too. Words that are only said (echo, a
// commit's message, a pattern) are no commands. What is not read to its end, or not understood, is
// not readable; it may still be certain that a part of it is denied.
CommandVerdict judge_command(std::string_view command, std::string_view work_dir,
                             Environment environment = Environment::kUnknown);

// The same for a file that is to be written.
std::optional<Suspicion> judge_write(std::string_view path, std::string_view work_dir);

}  // namespace orch::policy
