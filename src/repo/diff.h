#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/changes.h"
#include "store/temporary_folder.h"

namespace orch::repo {

// Two states of one work directory, of which the first is a snapshot, or a commit.
struct DiffWanted {
  ChangesWanted since;  // the snapshot, and the folder of which it is
  // The folder of a later snapshot of the same folder, with which to compare; "": the folder as it
  // is now.
  std::string later_snapshot;
};
struct CommitsWanted {
  std::string repository;     // absolute: where the commits are
  std::string before, after;  // hexadecimal digits
};

// The number of files that differ, and of lines that were added and removed. A binary file has no
// lines.
struct DiffCount {
  int64_t files = 0, added = 0, removed = 0;
  bool operator==(const DiffCount&) const = default;
};

// The difference of two states, ready to be told in several forms. The states are written into a
// temporary git repository of its own, which this owns, and git compares them there: so neither the
// configuration, nor the attributes, hooks or filters of the repository in which an agent worked
// have any effect, only the user's own. Bytes are compared as they are. Blocking.
class Diff {
 public:
  // Content of files and links that differ, those excepted that git ignores (changes.h). Files of
  // more than 8 MB, those beyond 256 MB in all, and those whose earlier content is not known are
  // told as binary ones; of more than 20,000 files the rest is only counted.
  static base::Result<Diff> since(const DiffWanted& wanted);
  // What differs between two commits.
  static base::Result<Diff> of_commits(const CommitsWanted& wanted);

  // A unified diff as git writes it: names in git's quotation marks, any other bytes as they are.
  base::Result<std::string> patch() const;
  // A line for each file, not longer than `columns`, and one for all.
  base::Result<std::string> stat(int columns) const;
  base::Result<DiffCount> count() const;
  // Printable lines: what differs, but cannot be shown.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  explicit Diff(store::TemporaryFolder folder) : folder_(std::move(folder)) {}

  base::Result<std::string> git(std::vector<std::string> words, std::string input = "") const;
  base::Result<std::string> diff(std::vector<std::string> words) const;

  store::TemporaryFolder folder_;
  std::string before_, after_;  // names of trees or commits
  std::vector<std::string> notes_;
  int64_t uncompared_ = 0;  // files that differ, and are only counted
  friend class DiffMaker;
};

}  // namespace orch::repo
