#pragma once

#include <map>
#include <string>
#include <string_view>

#include "repo/snapshot.h"
#include "repo/undo.h"

// The folder of one test, with a work directory in it; the destructor removes it. A shell runs
// commands there, with a home and an environment of its own.
class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string work() const { return file("work"); }

  // Runs a script, which must succeed, in the work directory or another folder; returns its output.
  std::string sh(const std::string& script, const std::string& folder = "") const;
  // The same, but the script may fail.
  void try_sh(const std::string& script) const;

  orch::repo::SnapshotReport snapshot(const std::string& of = "") const;
  // Undoes everything, checks that this succeeded, and keeps nothing for a redo.
  orch::repo::UndoReport undo(const orch::repo::UndoScope& scope = {}) const;
  // Keeps the state of the work directory as that of the run's end, of which undo() then knows.
  void end_run(int64_t settled_ns = orch::repo::kSettledNs) const;
  std::string snapshot_folder() const { return file("snapshot"); }
  std::string end_folder() const { return file("snapshot-end"); }

 private:
  std::string path_;
};

// Whether there is a git; if not it prints a warning, and the test can only return.
bool has_git();

// Makes a repository with everything that a wipe can destroy: staged, modified, untracked and
// ignored files, branches, a tag, a stash, packed and loose objects, links, modes, empty folders,
// difficult names.
void make_repository(const Scene& scene);

// Maps each path below a folder to its kind, mode, and content or target. Leaves out `.git` at the
// top, and the content of folders that may not be listed.
std::map<std::string, std::string> picture(const std::string& folder);

unsigned mode_of(const std::string& path);  // its permission bits

// What git reports of a repository: status, refs, stash, reflog, configuration, missing objects.
std::string git_picture(const Scene& scene, const std::string& folder = "");
