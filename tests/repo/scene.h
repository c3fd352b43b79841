#pragma once

#include <map>
#include <string>
#include <string_view>

#include "repo/snapshot.h"
#include "repo/undo.h"

// A folder of one test with a work directory, removed with all that is in it. Commands run there
// by a shell, with an environment and a home of their own.
class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string work() const { return file("work"); }

  // What the script prints; it must succeed. In the work directory, or in another.
  std::string sh(const std::string& script, const std::string& folder = "") const;
  // The same, whatever becomes of it.
  void try_sh(const std::string& script) const;

  orch::repo::SnapshotReport snapshot(const std::string& of = "") const;
  // Undoes everything and demands that it succeeded. Keeps nothing of the present.
  orch::repo::UndoReport undo(const orch::repo::UndoScope& scope = {}) const;
  std::string snapshot_folder() const { return file("snapshot"); }

 private:
  std::string path_;
};

// False, with a warning, where there is no git: then a test can only return.
bool has_git();

// A repository with all that a wipe can take: staged, modified, untracked and ignored files,
// branches, a tag, a stash, packed and loose objects, links, modes, empty folders, hard names.
void make_repository(const Scene& scene);

// Each path below a folder with its kind, mode, bytes or target. Without `.git` at its top,
// and without what is in folders that may not be listed.
std::map<std::string, std::string> picture(const std::string& folder);

unsigned mode_of(const std::string& path);  // its permission bits

// What git says of it: status, refs, stash, reflog, configuration, and that nothing is missing.
std::string git_picture(const Scene& scene, const std::string& folder = "");
