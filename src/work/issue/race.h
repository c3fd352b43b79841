#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/found.h"

// Several agents at work on one issue, each in a worktree of its own.
namespace orch::issue {

// One agent of a race, and how it did.
struct Racer {
  std::string name;          // of its run: "42-claude-opus"
  std::string agent, model;  // model: "" is the agent's own choice
  std::string run;           // the run's id; "": it did not begin
  std::string reason;        // why the run ended: "complete"
  bool is_completed = false;
  std::string began;               // the commit that it began from
  std::string trouble;             // why its work cannot be judged; ""
  int64_t files = 0, lines = 0;    // that it changed, outside the protected paths
  std::optional<int64_t> gates;    // exit code on a clean checkout; absent: they did not run
  std::optional<double> cost_usd;  // absent: not known
  int64_t ms = 0;                  // of its run
  std::string left;                // the commit of a loser's branch, which orch gc removes; ""
  bool operator==(const Racer&) const = default;
};

struct RaceRecord {
  std::string issue, repository;
  std::string issue_repository;      // "host/owner/name", if the issue's text is from there
  std::string commit;                // from which all of them begin
  std::vector<std::string> protect;  // git's patterns of paths that stay those of the commit
  std::string began, ended;          // RFC 3339; ended: "" while it goes on
  std::vector<Racer> racers;         // in the order of --agents
  std::string winner;                // the name of a racer; "": the base
  bool operator==(const RaceRecord&) const = default;
};

// Why the racer cannot win, as a sentence about "it"; "" if it can. Pure.
std::string why_not(const Racer& racer, const RaceRecord& race);

// The eligible racer with the fewest changed files; among equals the fewest lines, then the lowest
// cost, then the shortest time, then the first one of --agents. An unknown cost is higher than any
// known. nullptr: no one is eligible. Pure.
const Racer* winner_of(const RaceRecord& race);

// Names of runs for racers: "42-claude", "42-claude-opus", "42-claude-2". `agents` are words like
// "claude" and "claude:opus". An error names a word that is none.
base::Result<std::vector<Racer>> racers_of(const std::string& issue,
                                           const std::vector<std::string>& agents);

std::string to_json(const RaceRecord& race);

// The paths of one race's files in the state directory. `key` is store::session_key() of its issue.
struct RaceFiles {
  std::string record, lock, git;
};
RaceFiles race_files(const std::string& state_dir, const std::string& key);
store::Found<RaceRecord> read_race(const std::string& path);
base::Status write_race(const std::string& path, const RaceRecord& race);

}  // namespace orch::issue
