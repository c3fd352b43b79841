#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "repo/changes.h"
#include "store/temporary_folder.h"

namespace orch::repo {

// Two states of one work directory; the first one is a snapshot, or a commit.
// The folders of the snapshots of one run's begin and end.
struct DiffStep {
  std::string begun, ended;
};
struct DiffWanted {
  ChangesWanted since;  // the snapshot and its folder
  // The folder of a later snapshot of the same folder, to compare with; "": the folder as it is
  // now.
  std::string later_snapshot = "";
  // Earlier runs in the same folder that belong to the difference, the oldest first. What changed
  // between a run's end and the next one's begin is not in it, unless one of the runs has changed
  // the same file again.
  std::vector<DiffStep> earlier = {};
};
struct CommitsWanted {
  std::string repository;     // absolute: where the commits are
  std::string before, after;  // hexadecimal digits
};

// The number of files that differ, and of added and removed lines. A binary file has no lines.
struct DiffCount {
  int64_t files = 0, added = 0, removed = 0;
  bool operator==(const DiffCount&) const = default;
};

// The difference of two states, in several forms. The states are written into a temporary git
// repository, which this owns, and git compares them there: so the configuration, attributes, hooks
// and filters of the agent's repository have no effect, only the user's own. Bytes are compared as
// they are. Blocking.
class Diff {
 public:
  // The files and links with different content, except those that git ignores (changes.h). Files of
  // more than 8 MB, those beyond 256 MB in all, and those whose earlier content is not known appear
  // as binary ones; of more than 20,000 files the rest is only counted.
  static base::Result<Diff> since(const DiffWanted& wanted);
  // The difference between two commits.
  static base::Result<Diff> of_commits(const CommitsWanted& wanted);

  // A unified diff as git writes it: paths from the repository's top folder, in git's quotation
  // marks; any other bytes unchanged.
  base::Result<std::string> patch() const;
  // The same with the content of binary files, for git apply, which refuses it where a file's
  // content is not known.
  base::Result<std::string> whole_patch() const;
  // A line for each file, not longer than `columns`, and one for all.
  base::Result<std::string> stat(int columns) const;
  base::Result<DiffCount> count() const;
  // Printable lines: differences that cannot be shown.
  const std::vector<std::string>& notes() const { return notes_; }
  void add_note(std::string line) { notes_.push_back(std::move(line)); }

 private:
  explicit Diff(store::TemporaryFolder folder) : folder_(std::move(folder)) {}

  base::Result<std::string> git(std::vector<std::string> words, std::string input = "") const;
  base::Result<std::string> diff(std::vector<std::string> words,
                                 const std::vector<std::string>& paths = {}) const;

  store::TemporaryFolder folder_;
  std::string before_, after_;  // names of trees or commits
  std::vector<std::string> notes_;
  std::vector<std::string> unknown_;  // paths of which a side's content is not known
  int64_t uncompared_ = 0;            // files that differ, but are only counted
  friend class DiffMaker;
};

}  // namespace orch::repo
