#include "repo/worktree.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/replace.h"
#include "base/text.h"
#include "repo/folder_lock.h"
#include "repo/git_places.h"
#include "repo/git_program.h"
#include "repo/hidden_work.h"
#include "repo/tree.h"
#include "store/folder.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

using base::Result;
using base::Status;
using base::usage_error;

constexpr std::string_view kHeads = "refs/heads/";

// A worktree as git's records name it, whether its folder stands or not.
struct Registered {
  std::string head;    // the commit, in hexadecimal digits; "" if none
  std::string branch;  // "refs/heads/orch/42"; "" if it is on none
  bool is_locked = false;
};

// The worktree that git knows at `path`; nullopt if it knows none.
Result<std::optional<Registered>> registered_at(const std::string& repository,
                                                const std::string& path) {
  Result<std::string> list = ask_git({{"worktree", "list", "--porcelain", "-z"}, repository, ""});
  if (!list) return list.error();
  std::optional<Registered> found;
  for (const std::string_view line : base::split(*list, '\0')) {
    constexpr std::string_view kPath = "worktree ", kHead = "HEAD ", kBranch = "branch ";
    if (line.starts_with(kPath)) {
      if (found) break;
      if (line.substr(kPath.size()) == path) found.emplace();
    } else if (found && line.starts_with(kHead)) {
      found->head = std::string(line.substr(kHead.size()));
    } else if (found && line.starts_with(kBranch)) {
      found->branch = std::string(line.substr(kBranch.size()));
    } else if (found && line.starts_with("locked")) {
      found->is_locked = true;
    }
  }
  return found;
}

// The path of the worktree that has the branch checked out; "" if none has.
Result<std::string> holder_of(const std::string& repository, const std::string& branch) {
  Result<std::string> list = ask_git({{"worktree", "list", "--porcelain", "-z"}, repository, ""});
  if (!list) return list.error();
  std::string_view path;
  for (const std::string_view line : base::split(*list, '\0')) {
    constexpr std::string_view kPath = "worktree ", kBranch = "branch ";
    if (line.starts_with(kPath)) path = line.substr(kPath.size());
    if (line.starts_with(kBranch) && line.substr(kBranch.size()) == branch) {
      return std::string(path);
    }
  }
  return std::string();
}

Result<bool> has_branch(const std::string& repository, const std::string& branch) {
  Result<GitAnswer> answer =
      run_git({{"show-ref", "--verify", "--quiet", std::string(kHeads) + branch}, repository, ""});
  if (!answer) return answer.error();
  return answer->code == 0;
}

Status check_repository(const WorktreeRequest& wanted) {
  const std::string& top = wanted.repository;
  const std::string name = "--worktree: " + base::printable(top);
  const std::string none = " is in no git repository; leave out --worktree, or git init";
  Result<GitAnswer> inside = run_git({{"rev-parse", "--is-inside-work-tree"}, top, ""});
  if (!inside) return inside.error();
  if (inside->code != 0) {
    const bool is_none = inside->err.find("not a git repository") != std::string::npos;
    return usage_error(name + (is_none ? none : ": " + inside->err));
  }
  if (base::trim(inside->out) != "true") {
    return usage_error(name + " is a bare repository; name a clone of it with --cwd");
  }
  // A folder that looks like a repository to us may not be one to git, which then finds one further
  // up.
  Result<std::string> found = ask_git({{"rev-parse", "--show-toplevel"}, top, ""});
  if (!found) return found.error();
  if (base::trim(*found) != top) return usage_error(name + none);
  Result<GitAnswer> head =
      run_git({{"rev-parse", "--quiet", "--verify", "HEAD^{commit}"}, top, ""});
  if (!head) return head.error();
  if (head->code != 0) {
    const bool said = !head->err.starts_with("exit code");
    return usage_error(
        "--worktree: " + base::printable(top) +
        (said ? ": " + head->err : " has no commit to begin from; git commit first"));
  }
  return base::Ok{};
}

// Checks a path that exists: it may be an earlier run's worktree, which can be reused, or something
// else.
Status check_path(const WorktreeRequest& wanted, const Worktree& worktree, bool& ours) {
  Result<std::optional<Registered>> known = registered_at(wanted.repository, worktree.path);
  if (!known) return known.error();
  ours = *known && (*known)->branch == std::string(kHeads) + worktree.branch &&
         store::is_there(worktree.path + "/.git");
  if (!ours) {
    return usage_error("--worktree: " + base::printable(worktree.path) +
                       " is there, and is no worktree on branch " + worktree.branch +
                       " of this repository; move it away");
  }
  if (wanted.earlier == WorktreeRequest::Earlier::kReuse) return base::Ok{};
  const std::string place = base::shell_word(worktree.path);
  const std::string goes_on =
      wanted.has_run
          ? "orch retry " + wanted.issue + " or orch continue " + wanted.issue + " goes on in it"
          : "git -C " + place + " branch -m NAME && git worktree move " + place +
                " PLACE keeps its work";
  return usage_error("--worktree: " + base::printable(worktree.path) +
                     " is there from an earlier run: " + goes_on +
                     "; if no run is at work there (orch sessions), git worktree "
                     "remove --force " +
                     place + " removes it");
}

// The branch of the wanted worktree exists, and the worktree does not.
Status check_branch(const WorktreeRequest& wanted, const Worktree& worktree) {
  const Result<std::string> holder =
      holder_of(wanted.repository, std::string(kHeads) + worktree.branch);
  if (!holder) return holder.error();
  const std::string branch = "--worktree: branch " + worktree.branch;
  if (!holder->empty() && *holder != worktree.path) {
    const std::string place = base::shell_word(*holder);
    return usage_error(branch + " is checked out in " + base::printable(*holder) + "; git -C " +
                       place + " switch --detach leaves it free");
  }
  if (wanted.earlier == WorktreeRequest::Earlier::kReuse) return base::Ok{};
  // git removes no branch of a worktree that it knows, even if its folder is gone.
  const std::string prune = holder->empty() ? "" : "git worktree prune && ";
  const std::string goes_on = wanted.has_run ? "if an earlier run made it, orch retry " +
                                                   wanted.issue + " goes on with it; "
                                             : "";
  return usage_error(branch + " is there: " + goes_on + prune + "git branch -m " + worktree.branch +
                     " NAME keeps it under another name");
}

// Takes a worktree that was removed by hand out of git's records, so that it can be made anew.
Status forget_missing(const Worktree& worktree) {
  const Result<std::optional<Registered>> known = registered_at(worktree.repository, worktree.path);
  if (!known) return known.error();
  if (!*known) return base::Ok{};
  const std::string gone = "--worktree: " + base::printable(worktree.path) + " is gone";
  const std::string git = "git -C " + base::shell_word(worktree.repository);
  if ((*known)->is_locked) {
    return usage_error(gone + " and is locked, as on a disk that is not mounted; " + git +
                       " worktree unlock " + base::shell_word(worktree.path) + " has it made anew");
  }
  const std::string& head = (*known)->head;
  if ((*known)->branch.empty() && !head.empty()) {
    const Result<std::string> own =
        ask_git({{"rev-list", "-n", "1", head, "--not", "--branches", "--tags", "--remotes"},
                 worktree.repository,
                 ""});
    if (!own) return own.error();
    if (!own->empty()) {
      return usage_error(gone + ", and its last commit is on no branch; " + git + " branch NAME " +
                         head + " keeps it, " + git + " worktree prune gives it up");
    }
  }
  const Result<std::string> removed =
      ask_git({{"worktree", "remove", "--", worktree.path}, worktree.repository, ""});
  if (!removed) return usage_error(gone + ": " + removed.error().text);
  return base::Ok{};
}

Status check_name(const Worktree& worktree) {
  const Result<std::string> named = ask_git(
      {{"check-ref-format", std::string(kHeads) + worktree.branch}, worktree.repository, ""});
  if (!named) return usage_error("--worktree: git takes no branch " + worktree.branch);
  return base::Ok{};
}

// Where in the worktree the agent is to run, relative to the root: "" or "/sub".
std::string folder_below(const WorktreeRequest& wanted) {
  const bool below = wanted.folder.size() > wanted.repository.size() &&
                     is_within(wanted.folder, wanted.repository);
  return below ? wanted.folder.substr(wanted.repository.size()) : "";
}

base::Error not_in_commit(const WorktreeRequest& wanted) {
  return usage_error("--worktree: " + base::printable(wanted.folder) +
                     " is not in the commit that is checked out");
}

Status check_folder(const WorktreeRequest& wanted) {
  const std::string below = folder_below(wanted);
  if (below.empty()) return base::Ok{};
  const Result<std::string> entry =
      ask_git({{"ls-tree", "-z", "HEAD", "--", below.substr(1)}, wanted.repository, ""});
  if (!entry) return entry.error();
  if (entry->empty()) return not_in_commit(wanted);
  return base::Ok{};
}

// Finds the obstacles to the worktree of one issue; `branches` are all branches that orch may have
// made.
Status check_one(const WorktreeRequest& wanted, const std::vector<std::string_view>& branches) {
  const Worktree worktree = planned_worktree(wanted);
  const bool plain = std::all_of(wanted.issue.begin(), wanted.issue.end(), [](unsigned char c) {
    return base::is_letter_or_digit(c) || c == '-' || c == '_';
  });
  if (!plain) {
    if (Status s = check_name(worktree); !s) return s;
  }
  bool ours = false;
  if (store::is_there(worktree.path)) return check_path(wanted, worktree, ours);
  const std::string name = std::string(kHeads) + worktree.branch;
  const bool known = std::find(branches.begin(), branches.end(), name) != branches.end();
  return known ? check_branch(wanted, worktree) : check_folder(wanted);
}

Status add(const WorktreeRequest& wanted, Worktree& worktree) {
  const Result<bool> known = has_branch(wanted.repository, worktree.branch);
  if (!known) return known.error();
  if (*known) {
    if (Status s = check_branch(wanted, worktree); !s) return s;
  }
  if (Status s = forget_missing(worktree); !s) return s;
  GitCall call{{"worktree", "add", "--quiet"}, wanted.repository, ""};
  if (*known) {
    call.words.insert(call.words.end(), {"--", worktree.path, worktree.branch});
  } else {
    call.words.insert(call.words.end(),
                      {"--no-track", "-b", worktree.branch, "--", worktree.path, "HEAD"});
  }
  const Result<std::string> added = ask_git(call);
  if (!added) return usage_error("--worktree: " + added.error().text);
  worktree.created = true;
  return base::Ok{};
}

// The folders of submodules: the gitlinks in the index.
Result<std::vector<std::string>> submodules(const std::string& path) {
  Result<std::string> files = ask_git({{"ls-files", "--stage", "-z"}, path, ""});
  if (!files) return files.error();
  std::vector<std::string> found;
  for (const std::string_view line : base::split(*files, '\0')) {
    const size_t tab = line.find('\t');
    if (line.starts_with("160000 ") && tab != std::string_view::npos) {
      found.emplace_back(line.substr(tab + 1));
    }
  }
  return found;
}

void note_what_lacks(Worktree& worktree) {
  const auto counted = [](size_t count, const char* one, const char* many) {
    return std::to_string(count) + (count == 1 ? one : many);
  };
  if (const auto modules = submodules(worktree.path); modules && !modules->empty()) {
    worktree.notes.push_back("worktree " + base::printable(worktree.path) + ": " +
                             counted(modules->size(), " submodule is", " submodules are") +
                             " not there; git submodule update --init brings them");
  }
  const Result<std::string> pointers =
      ask_git({{"ls-files", "-z", ":(attr:filter=lfs)"}, worktree.path, ""});
  if (pointers && !pointers->empty()) {
    worktree.notes.push_back("worktree " + base::printable(worktree.path) + ": of " +
                             counted(base::split(*pointers, '\0').size(), " file", " files") +
                             " in Git LFS only the pointers are there; git lfs pull brings them");
  }
}

bool is_empty_or_gone(const std::string& path) {
  std::error_code failure;
  return !store::is_there(path) || fs::is_empty(path, failure);
}

// Why the worktree has to stay; "" if nothing in it would be lost.
Result<std::string> why_kept(const Worktree& worktree, bool& has_submodules) {
  const Result<std::optional<Registered>> known = registered_at(worktree.repository, worktree.path);
  if (!known) return known.error();
  if (!*known || (*known)->branch != std::string(kHeads) + worktree.branch) {
    return "it is not on branch " + worktree.branch + " any more";
  }
  // This comes first, because git status would look into submodules.
  const auto modules = submodules(worktree.path);
  if (!modules) return modules.error();
  has_submodules = !modules->empty();
  for (const std::string& module : *modules) {
    if (!is_empty_or_gone(worktree.path + "/" + module)) {
      return "submodule " + base::printable(module) + " was fetched";
    }
  }
  Result<std::string> status = ask_git({{"status", "--porcelain", "-z", "--no-renames",
                                         "--untracked-files=all", "--ignore-submodules=none"},
                                        worktree.path,
                                        ""});
  if (!status) return status.error();
  const std::vector<std::string_view> lines = base::split(*status, '\0');
  if (!lines.empty()) {
    constexpr size_t kMarks = 3;  // as in "?? "
    const std::string first = base::printable(lines[0].substr(std::min(kMarks, lines[0].size())));
    if (lines.size() == 1) return first + " is not committed";
    return first + " and " + std::to_string(lines.size() - 1) + " more are not committed";
  }
  return find_hidden_work(worktree.path);
}

Status remove_branch(const Worktree& worktree) {
  const std::string name = std::string(kHeads) + worktree.branch;
  Result<std::string> commit = ask_git({{"rev-parse", "--verify", name}, worktree.repository, ""});
  if (!commit) return commit.error();
  Result<std::string> own =
      ask_git({{"rev-list", "-n", "1", name, "--not", "HEAD", "--exclude=" + worktree.branch,
                "--branches", "--tags", "--remotes"},
               worktree.repository,
               ""});
  if (!own) return own.error();
  if (!base::trim(*own).empty()) return usage_error("it has commits of its own");
  Result<std::string> removed = ask_git(
      {{"update-ref", "-d", name, std::string(base::trim(*commit))}, worktree.repository, ""});
  if (!removed) return removed.error();
  return base::Ok{};
}

}  // namespace

Worktree planned_worktree(const WorktreeRequest& wanted) {
  Worktree worktree;
  worktree.repository = wanted.repository;
  worktree.branch = "orch/" + wanted.issue;
  worktree.path = wanted.repository + ".orch/" + wanted.issue;
  return worktree;
}

Status check_worktrees(WorktreeRequest wanted, const std::vector<std::string>& issues,
                       const std::vector<std::string>& without_run) {
  if (Status s = check_repository(wanted); !s) return s;
  const std::string all = std::string(kHeads) + "orch";
  const Result<std::string> list =
      ask_git({{"for-each-ref", "--format=%(refname)", all}, wanted.repository, ""});
  if (!list) return list.error();
  const std::vector<std::string_view> branches = base::split(*list, '\n');
  if (std::find(branches.begin(), branches.end(), all) != branches.end()) {
    return usage_error("--worktree: " + all + " exists, so that no branch orch/" + issues.front() +
                       " can; git branch -m orch NAME gives it another name");
  }
  for (const std::string& issue : issues) {
    wanted.issue = issue;
    wanted.has_run = std::find(without_run.begin(), without_run.end(), issue) == without_run.end();
    if (Status s = check_one(wanted, branches); !s) return s;
  }
  return base::Ok{};
}

Result<bool> has_uncommitted(const std::string& folder) {
  // In submodules git would obey configurations of their own.
  const Result<std::string> status =
      ask_git({{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal",
                "--ignore-submodules=all"},
               folder,
               ""});
  if (!status) return status.error();
  return !status->empty();
}

Result<Worktree> open_worktree(const WorktreeRequest& wanted) {
  if (Status s = check_repository(wanted); !s) return s.error();
  Worktree worktree = planned_worktree(wanted);
  if (Status s = check_name(worktree); !s) return s.error();
  std::optional<FolderLock> lock(std::in_place, git_folder_of(wanted.repository).common);
  bool ours = false;
  if (store::is_there(worktree.path)) {
    if (Status s = check_path(wanted, worktree, ours); !s) return s.error();
  } else if (Status s = add(wanted, worktree); !s) {
    return s.error();
  }
  lock.reset();
  worktree.folder = without_links(worktree.path, worktree.path + folder_below(wanted));
  if (worktree.folder.empty() || !is_within(worktree.folder, worktree.path)) {
    if (worktree.created) (void)leave_worktree(worktree);  // the first failure is the one to report
    return not_in_commit(wanted);
  }
  if (worktree.created) note_what_lacks(worktree);
  return worktree;
}

store::WorktreeEnd leave_worktree(const Worktree& worktree) {
  store::WorktreeEnd end;
  end.path = worktree.path;
  end.branch = worktree.branch;
  const FolderLock lock(git_folder_of(worktree.repository).common);
  bool has_submodules = false;
  const Result<std::string> why = why_kept(worktree, has_submodules);
  end.why = why ? *why : why.error().text;
  if (!end.why.empty()) return end;
  GitCall call{{"worktree", "remove"}, worktree.repository, ""};
  // Git refuses to remove a worktree with submodules otherwise.
  if (has_submodules) call.words.emplace_back("--force");
  call.words.insert(call.words.end(), {"--", worktree.path});
  if (const Result<std::string> removed = ask_git(call); !removed) {
    end.why = removed.error().text;
    return end;
  }
  end.kept = false;
  ::rmdir((worktree.repository + ".orch").c_str());  // unless there are others in it
  end.branch_kept = !remove_branch(worktree).ok();
  return end;
}

Status discard_worktree(const Worktree& worktree) {
  const FolderLock lock(git_folder_of(worktree.repository).common);
  const Result<std::string> removed =
      ask_git({{"worktree", "remove", "--force", "--", worktree.path}, worktree.repository, ""});
  if (!removed) return removed.error();
  ::rmdir((worktree.repository + ".orch").c_str());  // unless there are others in it
  const Result<std::string> branch = ask_git(
      {{"update-ref", "-d", std::string(kHeads) + worktree.branch}, worktree.repository, ""});
  if (!branch) return branch.error();
  return base::Ok{};
}

std::string to_fields(const Result<Worktree>& opened) {
  std::vector<std::string> fields;
  if (opened) {
    fields = {"opened",       opened->repository, opened->path,
              opened->folder, opened->branch,     opened->created ? "created" : "there"};
    fields.insert(fields.end(), opened->notes.begin(), opened->notes.end());
  } else {
    const bool usage = opened.error().code == base::ErrorCode::kUsage;
    fields = {usage ? "refused" : "failed", opened.error().text};
  }
  std::string text;
  for (const std::string& field : fields) text.append(field).push_back('\0');
  return text;
}

Result<Worktree> opened_from_fields(std::string_view text) {
  constexpr size_t kFields = 6;
  const std::vector<std::string_view> fields = base::split(text, '\0');
  if (fields.size() == 2 && fields[0] == "refused") return usage_error(std::string(fields[1]));
  if (fields.size() == 2 && fields[0] == "failed") {
    return base::Error{base::ErrorCode::kSystem, std::string(fields[1])};
  }
  if (fields.size() < kFields || fields[0] != "opened") {
    return base::Error{base::ErrorCode::kSystem, "what made the worktree did not say how"};
  }
  Worktree worktree;
  worktree.repository = fields[1];
  worktree.path = fields[2];
  worktree.folder = fields[3];
  worktree.branch = fields[4];
  worktree.created = fields[5] == "created";
  worktree.notes.assign(fields.begin() + kFields, fields.end());
  return worktree;
}

}  // namespace orch::repo
