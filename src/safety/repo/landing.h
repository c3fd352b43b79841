#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/git_program.h"

namespace orch::repo {

// A file that differs between two commits.
struct ChangedFile {
  std::string path;        // as git has it: any bytes but NUL
  std::string blob;        // the object of the later side; "" if the file was removed
  int64_t bytes = 0;       // of the later side
  bool is_new = false;     // the earlier side has none
  bool is_nested = false;  // a repository inside, of which git keeps only the commit
};

// A git directory of orch's own over the objects of a user's repository. An issue's worktree is
// committed, rebased and pushed with it: no agent ever wrote its configuration, hooks or index, so
// git has the user's login in reach only there. Commits land in the user's repository at once, but
// no reference of it is changed. Blocks, and is not for a process that watches children.
class LandingRepository {
 public:
  // Makes the directory at `path`, which has to be in orch's own state and is emptied first.
  // `repository` is the root of a checkout. kUsage: a kind of repository that cannot be landed.
  static base::Result<LandingRepository> make(const std::string& path,
                                              const std::string& repository);

  const std::string& path() const { return path_; }

  // git, offline, on this directory. An exit code other than 0 is an error that names the command.
  base::Result<std::string> ask(const std::vector<std::string>& words,
                                const std::string& input = "") const;

  // The tree of all files in `worktree` that git does not ignore, where `head` is checked out.
  // Marks that an agent may have set in the worktree's own index have no effect.
  base::Result<std::string> tree_of_files(const std::string& worktree, const std::string& head);

  base::Result<std::string> tree_of(const std::string& commit) const;
  // Commits a tree with the identity of the repository's user.
  base::Result<std::string> commit(const std::string& tree, const std::vector<std::string>& parents,
                                   const std::string& message) const;
  base::Result<bool> is_ancestor(const std::string& older, const std::string& newer) const;
  // The commits of `head` that `base` lacks, the oldest first.
  base::Result<std::vector<std::string>> commits_since(const std::string& base,
                                                       const std::string& head) const;
  base::Result<std::vector<ChangedFile>> changes(const std::string& before,
                                                 const std::string& after) const;
  // The files of all commits of `head` that `base` does not have, also of files that a later commit
  // removed, each content once. A path ends before a line break; whether a file is new or nested is
  // not known.
  base::Result<std::vector<ChangedFile>> contents_since(const std::string& base,
                                                        const std::string& head) const;

  // The tree with those files as `base` has them, or has them not, that one of git's patterns fits.
  base::Result<std::string> with_files_of(const std::string& base, const std::string& tree,
                                          const std::vector<std::string>& patterns) const;
  struct Size {
    int64_t files = 0, lines = 0;  // added and removed; a file that is not text has none
  };
  base::Result<Size> size_of_change(const std::string& before, const std::string& after) const;

  // The commits of `head` on top of `base`; or, if `head` has merges or `merge` is set, a merge of
  // both. Nothing is checked out.
  struct Joined {
    std::string commit;                  // "" if there are conflicts
    std::vector<std::string> conflicts;  // files
  };
  base::Result<Joined> join(const std::string& head, const std::string& base, bool merge,
                            const std::string& message) const;

  // Changes the files of the worktree from those of the tree, which tree_of_files() has returned
  // just now, to those of the commit. A file that was changed since then is an error, and then no
  // file is changed.
  base::Status check_out(const std::string& worktree, const std::string& from_tree,
                         const std::string& commit);

  // With the network and the user's login: the commit of a branch of the server ("" if it has
  // none), a fetch of its objects, and a push with the expected old commit ("": none) as lease.
  base::Result<std::string> branch_at(const std::string& url, const std::string& branch) const;
  base::Status fetch(const std::string& url, const std::string& branch) const;
  base::Status push(const std::string& url, const std::string& commit, const std::string& branch,
                    const std::string& expected) const;

 private:
  LandingRepository(std::string path, std::string repository)
      : path_(std::move(path)), repository_(std::move(repository)) {}
  base::Result<GitAnswer> run(std::vector<std::string> words, const std::string& input = "",
                              const std::string& worktree = "") const;
  base::Result<std::string> ask_in(const std::string& worktree,
                                   const std::vector<std::string>& words) const;
  base::Result<GitAnswer> online(std::vector<std::string> words) const;
  // The commit of `original` with another tree and parent; a signature would be wrong, and goes.
  base::Result<std::string> copy(const std::string& original, const std::string& tree,
                                 const std::string& parent) const;
  base::Result<Joined> merge_trees(const std::string& ours, const std::string& theirs) const;

  std::string path_, repository_;
};

// The branches of a user's repository, by git offline.
// The commit of a local branch; "" if there is no such branch.
base::Result<std::string> commit_of_branch(const std::string& repository,
                                           const std::string& branch);
// Whether the base has all commits of the branch.
base::Result<bool> is_merged(const std::string& repository, const std::string& branch,
                             const std::string& base);
// The commit that is checked out. kUsage: there is none.
base::Result<std::string> commit_checked_out(const std::string& repository);
// Moves the branch, if it is still at `from`; "": makes it, if there is none.
base::Status move_branch(const std::string& repository, const std::string& branch,
                         const std::string& from, const std::string& to);
// Removes the branch, if it is still at `at`.
base::Status remove_branch_at(const std::string& repository, const std::string& branch,
                              const std::string& at);
// Makes the index of a worktree that of the commit that is checked out; its files stay.
base::Status renew_index(const std::string& worktree);
// The branch that is checked out in a worktree; "" if HEAD is on none.
base::Result<std::string> branch_in(const std::string& worktree);
// The paths of new files of a change that lie in the way where the branch is checked out: git does
// not track them there, and a merge would overwrite ignored ones.
base::Result<std::vector<std::string>> files_in_the_way(const std::string& repository,
                                                        const std::string& branch,
                                                        const std::vector<ChangedFile>& changes);
// Moves the branch forward to `to`, which has to have `from` in its history. If a checkout has the
// branch, its files move with it; kUsage, and nothing changes, if that has changes that are not
// committed. kSystem if the branch is no more at `from`.
base::Status fast_forward(const std::string& repository, const std::string& branch,
                          const std::string& from, const std::string& to);

// The name of an operation of git that was begun in a worktree and has not ended ("merge",
// "rebase", "bisect"); "" if there is none.
std::string unfinished_operation(const std::string& worktree);

}  // namespace orch::repo
