#include "repo/landing.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "repo/git_places.h"
#include "store/atomic_file.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

using base::Result;
using base::Status;
using base::usage_error;

constexpr std::string_view kBranches = "refs/heads/";
constexpr size_t kMostGitFile = 4 << 20;
// Asked after the user's own helpers, and only by a server that wants a login.
const std::vector<std::string> kHelpers{"!gh auth git-credential"};

base::Error failed(const std::vector<std::string>& words, const std::string& why) {
  return {base::ErrorCode::kSystem, "git " + (words.empty() ? "" : words.front()) + ": " + why};
}

std::string line_of(std::string_view text) { return std::string(base::trim(text)); }

// Settings of the user's repository that say how files become objects. Their values are words, and
// none names a program.
Result<std::string> settings_for_files(const std::string& repository) {
  constexpr std::array<std::string_view, 6> kKeys{"core.autocrlf",   "core.eol",
                                                  "core.filemode",   "core.symlinks",
                                                  "core.ignorecase", "core.precomposeunicode"};
  std::string text;
  for (const std::string_view key : kKeys) {
    Result<GitAnswer> answer = run_git({{"config", "--get", std::string(key)}, repository, ""});
    if (!answer) return answer.error();
    const std::string value = line_of(answer->out);
    const bool is_word = !value.empty() && std::all_of(value.begin(), value.end(), base::is_small);
    if (answer->code == 0 && is_word) {
      text += "\t" + std::string(key.substr(key.find('.') + 1)) + " = " + value + "\n";
    }
  }
  return text;
}

Status write(const std::string& path, std::string_view text) {
  return store::write_file_unsynced(path, text);
}

// Whether a rebase or bisection in the worktree will go back to the branch: until then HEAD is on
// none.
bool will_return_to(const std::string& worktree, const std::string& branch) {
  const std::string git = git_folder_of(worktree).own;
  const std::string full = std::string(kBranches) + branch;
  for (const char* name : {"/rebase-merge/head-name", "/rebase-apply/head-name", "/BISECT_START"}) {
    const std::optional<std::string> text = git_file(git + name, kMostGitFile);
    if (!text) continue;
    const std::string_view told = base::trim(*text);
    if (told == full || told == branch) return true;
  }
  return false;
}

// The folder that has the branch checked out, or will go back to it; "" if none has.
Result<std::string> checkout_of(const std::string& repository, const std::string& branch) {
  const Result<std::string> list =
      ask_git({{"worktree", "list", "--porcelain", "-z"}, repository, ""});
  if (!list) return list.error();
  std::string path;
  for (const std::string_view line : base::split(*list, '\0')) {
    if (line.starts_with("worktree ")) path = line.substr(line.find(' ') + 1);
    if (line == "branch " + std::string(kBranches) + branch) return path;
    if (line == "detached" && will_return_to(path, branch)) return path;
  }
  return std::string();
}

}  // namespace

Result<LandingRepository> LandingRepository::make(const std::string& path,
                                                  const std::string& repository) {
  const std::string common = git_folder_of(repository).common;
  if (common.empty()) return usage_error(base::printable(repository) + " is in no git repository");
  Result<GitAnswer> sparse =
      run_git({{"config", "--get", "--bool", "core.sparseCheckout"}, repository, ""});
  if (!sparse) return sparse.error();
  if (line_of(sparse->out) == "true") {
    return usage_error(base::printable(repository) +
                       " is a sparse checkout, in which a missing file may be one that was "
                       "deleted: git sparse-checkout disable");
  }
  Result<GitAnswer> format = run_git({{"rev-parse", "--show-object-format"}, repository, ""});
  if (!format) return format.error();
  Result<std::string> core = settings_for_files(repository);
  if (!core) return core.error();
  std::error_code failure;
  fs::remove_all(path, failure);
  fs::create_directories(path + "/refs/heads", failure);
  fs::create_directories(path + "/info", failure);
  ::chmod(path.c_str(), 0700);
  if (::symlink((common + "/objects").c_str(), (path + "/objects").c_str()) != 0) {
    return base::system_error("make " + path, errno);
  }
  const bool sha256 = line_of(format->out) == "sha256";
  const std::string config =
      "[core]\n\trepositoryformatversion = " + std::string(sha256 ? "1" : "0") + "\n" + *core +
      (sha256 ? "[extensions]\n\tobjectformat = sha256\n" : "");
  if (Status s = write(path + "/config", config); !s) return s.error();
  if (Status s = write(path + "/HEAD", "ref: refs/heads/landing\n"); !s) return s.error();
  for (const char* name : {"/shallow", "/info/exclude"}) {
    const std::optional<std::string> text = git_file(common + name, kMostGitFile);
    if (!text) continue;
    if (Status s = write(path + name, *text); !s) return s.error();
  }
  return LandingRepository(path, repository);
}

Result<GitAnswer> LandingRepository::run(std::vector<std::string> words, const std::string& input,
                                         const std::string& worktree) const {
  std::vector<std::string> all{"--git-dir=" + path_};
  if (!worktree.empty()) all.push_back("--work-tree=" + worktree);
  all.insert(all.end(), words.begin(), words.end());
  return run_git({std::move(all), worktree.empty() ? path_ : worktree, input});
}

Result<std::string> LandingRepository::ask(const std::vector<std::string>& words,
                                           const std::string& input) const {
  Result<GitAnswer> answer = run(words, input);
  if (!answer) return answer.error();
  if (answer->code != 0) return failed(words, answer->err);
  return std::move(answer->out);
}

Result<std::string> LandingRepository::ask_in(const std::string& worktree,
                                              const std::vector<std::string>& words) const {
  Result<GitAnswer> answer = run(words, "", worktree);
  if (!answer) return answer.error();
  if (answer->code != 0) return failed(words, answer->err);
  return std::move(answer->out);
}

Result<std::string> LandingRepository::tree_of_files(const std::string& worktree,
                                                     const std::string& head) {
  if (Result<std::string> read = ask_in(worktree, {"read-tree", "--reset", head}); !read) {
    return read;
  }
  if (Result<std::string> added = ask_in(worktree, {"add", "--all", "--", "."}); !added) {
    return added;
  }
  Result<std::string> tree = ask({"write-tree"});
  if (!tree) return tree;
  return line_of(*tree);
}

Result<std::string> LandingRepository::tree_of(const std::string& commit) const {
  Result<std::string> tree = ask({"rev-parse", "--verify", commit + "^{tree}"});
  if (!tree) return tree;
  return line_of(*tree);
}

Result<std::string> LandingRepository::commit(const std::string& tree,
                                              const std::vector<std::string>& parents,
                                              const std::string& message) const {
  // The repository's own configuration may name its user, which is not a program.
  Result<std::string> who = ask_git({{"var", "GIT_COMMITTER_IDENT"}, repository_, ""});
  if (!who) return who;
  std::string object = "tree " + tree + "\n";
  for (const std::string& parent : parents) object += "parent " + parent + "\n";
  object += "author " + line_of(*who) + "\ncommitter " + line_of(*who) + "\n\n" + message;
  if (!object.ends_with('\n')) object += '\n';
  Result<std::string> made = ask({"hash-object", "-t", "commit", "-w", "--stdin"}, object);
  if (!made) return made;
  return line_of(*made);
}

Result<bool> LandingRepository::is_ancestor(const std::string& older,
                                            const std::string& newer) const {
  Result<GitAnswer> answer = run({"merge-base", "--is-ancestor", older, newer});
  if (!answer) return answer.error();
  if (answer->code > 1) return failed({"merge-base"}, answer->err);
  return answer->code == 0;
}

Result<std::vector<std::string>> LandingRepository::commits_since(const std::string& base,
                                                                  const std::string& head) const {
  Result<std::string> list = ask({"rev-list", "--reverse", "--topo-order", head, "^" + base});
  if (!list) return list.error();
  std::vector<std::string> commits;
  for (const std::string_view line : base::split_lines(*list)) commits.emplace_back(line);
  return commits;
}

Result<std::vector<ChangedFile>> LandingRepository::changes(const std::string& before,
                                                            const std::string& after) const {
  Result<std::string> raw =
      ask({"diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", before, after});
  if (!raw) return raw.error();
  const std::vector<std::string_view> parts = base::split(*raw, '\0');
  std::vector<ChangedFile> files;
  std::string blobs;
  for (size_t at = 0; at + 1 < parts.size(); at += 2) {
    // ":100644 100644 OLD NEW M"
    const std::vector<std::string_view> words = base::split(parts[at].substr(1), ' ');
    if (words.size() != 5) return failed({"diff-tree"}, "its answer is not understood");
    ChangedFile& file = files.emplace_back();
    file.path = parts[at + 1];
    file.is_nested = words[1] == "160000";
    if (words[4] != "D") file.blob = words[3];
    file.is_new = words[4] == "A";
    if (!file.blob.empty() && !file.is_nested) blobs += file.blob + "\n";
  }
  if (blobs.empty()) return files;
  Result<std::string> sizes = ask({"cat-file", "--batch-check=%(objectsize)"}, blobs);
  if (!sizes) return sizes.error();
  const std::vector<std::string_view> lines = base::split_lines(*sizes);
  size_t line = 0;
  for (ChangedFile& file : files) {
    if (file.blob.empty() || file.is_nested || line >= lines.size()) continue;
    file.bytes = std::atoll(std::string(lines[line++]).c_str());
  }
  return files;
}

Result<std::vector<ChangedFile>> LandingRepository::contents_since(const std::string& base,
                                                                   const std::string& head) const {
  Result<std::string> named = ask({"rev-list", "--objects", head, "^" + base});
  if (!named) return named.error();
  std::vector<ChangedFile> objects;
  std::string ids;
  for (const std::string_view line : base::split_lines(*named)) {
    const size_t blank = std::min(line.find(' '), line.size());
    ChangedFile& object = objects.emplace_back();
    object.blob = line.substr(0, blank);
    object.path = line.substr(std::min(blank + 1, line.size()));
    ids += object.blob + "\n";
  }
  Result<std::string> kinds = ask({"cat-file", "--batch-check=%(objecttype) %(objectsize)"}, ids);
  if (!kinds) return kinds.error();
  const std::vector<std::string_view> lines = base::split_lines(*kinds);
  std::vector<ChangedFile> files;
  for (size_t i = 0; i < std::min(objects.size(), lines.size()); ++i) {
    constexpr std::string_view kBlob = "blob ";
    if (!lines[i].starts_with(kBlob)) continue;
    files.push_back(std::move(objects[i]));
    files.back().bytes = std::atoll(std::string(lines[i].substr(kBlob.size())).c_str());
  }
  return files;
}

Result<std::string> LandingRepository::with_files_of(
    const std::string& base, const std::string& tree,
    const std::vector<std::string>& patterns) const {
  if (patterns.empty()) return tree;
  std::vector<std::string> words{"diff-tree",     "-r", "-z", "--no-renames",
                                 "--no-ext-diff", base, tree, "--"};
  words.insert(words.end(), patterns.begin(), patterns.end());
  Result<std::string> raw = ask(words);
  if (!raw) return raw;
  const std::vector<std::string_view> parts = base::split(*raw, '\0');
  // A file that goes makes room for a folder of its name.
  std::string removed, added;
  for (size_t at = 0; at + 1 < parts.size(); at += 2) {
    // ":100644 100644 OLD NEW M"
    const std::vector<std::string_view> words_of = base::split(parts[at].substr(1), ' ');
    if (words_of.size() != 5) return failed({"diff-tree"}, "its answer is not understood");
    const bool is_new = words_of[4] == "A";
    std::string& list = is_new ? removed : added;
    list.append(is_new ? "0" : words_of[0]).append(" ").append(words_of[2]).append("\t");
    list.append(parts[at + 1]).push_back('\0');
  }
  if (Result<std::string> read = ask({"read-tree", "--reset", tree}); !read) return read;
  if (Result<std::string> set = ask({"update-index", "-z", "--index-info"}, removed + added);
      !set) {
    return set;
  }
  Result<std::string> made = ask({"write-tree"});
  if (!made) return made;
  return line_of(*made);
}

Result<LandingRepository::Size> LandingRepository::size_of_change(const std::string& before,
                                                                  const std::string& after) const {
  Result<std::string> stat = ask({"diff-tree", "-r", "-z", "--numstat", "--no-renames",
                                  "--no-ext-diff", "--no-textconv", before, after});
  if (!stat) return stat.error();
  Size size;
  for (const std::string_view line : base::split(*stat, '\0')) {
    // "12<TAB>3<TAB>path"; "-" for a file that is not text
    const std::vector<std::string_view> parts = base::split(line, '\t');
    if (parts.size() < 3) return failed({"diff-tree"}, "its answer is not understood");
    ++size.files;
    for (size_t n = 0; n < 2; ++n) size.lines += std::atoll(std::string(parts[n]).c_str());
  }
  return size;
}

Result<std::string> LandingRepository::copy(const std::string& original, const std::string& tree,
                                            const std::string& parent) const {
  Result<std::string> text = ask({"cat-file", "commit", original});
  if (!text) return text;
  Result<std::string> who = ask_git({{"var", "GIT_COMMITTER_IDENT"}, repository_, ""});
  if (!who) return who;
  const size_t end = std::min(text->find("\n\n"), text->size());
  std::string object = "tree " + tree + "\nparent " + parent + "\n";
  bool is_kept = false;  // a header's further lines begin with a blank
  for (const std::string_view line : base::split_lines(std::string_view(*text).substr(0, end))) {
    if (!line.starts_with(' ')) {
      is_kept = line.starts_with("author ") || line.starts_with("encoding ");
    }
    if (line.starts_with("committer ")) object += "committer " + line_of(*who) + "\n";
    if (is_kept) object.append(line).push_back('\n');
  }
  object += text->substr(end == text->size() ? end : end + 1);
  Result<std::string> made = ask({"hash-object", "-t", "commit", "-w", "--stdin"}, object);
  if (!made) return made;
  return line_of(*made);
}

Result<LandingRepository::Joined> LandingRepository::merge_trees(const std::string& ours,
                                                                 const std::string& theirs) const {
  Result<GitAnswer> answer =
      run({"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs});
  if (!answer) return answer.error();
  if (answer->code > 1) {
    return usage_error("git merge-tree: " + answer->err + " (git 2.38 or newer is needed)");
  }
  const std::vector<std::string_view> parts = base::split(answer->out, '\0');
  Joined joined;
  if (parts.empty()) return failed({"merge-tree"}, "it answers with no tree");
  joined.commit = line_of(parts[0]);
  if (answer->code == 0) return joined;
  for (size_t at = 1; at < parts.size(); ++at) joined.conflicts.emplace_back(parts[at]);
  if (joined.conflicts.empty()) joined.conflicts.emplace_back("(git does not say which file)");
  joined.commit.clear();
  return joined;
}

Result<LandingRepository::Joined> LandingRepository::join(const std::string& head,
                                                          const std::string& base, bool merge,
                                                          const std::string& message) const {
  Joined joined;
  const Result<bool> is_on_top = is_ancestor(base, head);
  if (!is_on_top) return is_on_top.error();
  joined.commit = head;
  if (*is_on_top) return joined;
  Result<std::string> merges = ask({"rev-list", "-n", "1", "--merges", head, "^" + base});
  if (!merges) return merges.error();
  if (merge || !merges->empty()) {
    Result<Joined> tree = merge_trees(head, base);
    if (!tree || !tree->conflicts.empty()) return tree;
    const Result<std::string> made = commit(tree->commit, {head, base}, message);
    if (!made) return made.error();
    joined.commit = *made;
    return joined;
  }
  const Result<std::vector<std::string>> commits = commits_since(base, head);
  if (!commits) return commits.error();
  joined.commit = base;
  for (const std::string& each : *commits) {
    // A commit with the tree reached so far and the parent of the commit to copy: the merge base of
    // the two is that parent.
    const Result<std::string> parent = ask({"rev-parse", "--verify", each + "^"});
    if (!parent) return parent.error();
    const Result<std::string> tree = tree_of(joined.commit);
    if (!tree) return tree.error();
    const Result<std::string> beside = copy(each, *tree, line_of(*parent));
    if (!beside) return beside.error();
    Result<Joined> merged = merge_trees(*beside, each);
    if (!merged || !merged->conflicts.empty()) return merged;
    if (merged->commit == *tree) continue;  // the base has this change by now
    const Result<std::string> made = copy(each, merged->commit, joined.commit);
    if (!made) return made.error();
    joined.commit = *made;
  }
  return joined;
}

Status LandingRepository::check_out(const std::string& worktree, const std::string& from_tree,
                                    const std::string& commit) {
  const Result<std::string> done = ask_in(worktree, {"read-tree", "-m", "-u", from_tree, commit});
  if (!done) return done.error();
  return base::Ok{};
}

Result<GitAnswer> LandingRepository::online(std::vector<std::string> words) const {
  words.insert(words.begin(), "--git-dir=" + path_);
  return run_git_online({std::move(words), path_, ""}, kHelpers);
}

Result<std::string> LandingRepository::branch_at(const std::string& url,
                                                 const std::string& branch) const {
  const std::string name = std::string(kBranches) + branch;
  Result<GitAnswer> answer = online({"ls-remote", "--", url, name});
  if (!answer) return answer.error();
  if (answer->code != 0) return failed({"ls-remote"}, answer->err);
  for (const std::string_view line : base::split_lines(answer->out)) {
    const size_t tab = line.find('\t');
    if (tab != std::string_view::npos && line.substr(tab + 1) == name) {
      return std::string(line.substr(0, tab));
    }
  }
  return std::string();
}

Status LandingRepository::fetch(const std::string& url, const std::string& branch) const {
  const std::string name = std::string(kBranches) + branch;
  Result<GitAnswer> answer =
      online({"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", url, name});
  if (!answer) return answer.error();
  if (answer->code != 0) return failed({"fetch"}, answer->err);
  return base::Ok{};
}

Status LandingRepository::push(const std::string& url, const std::string& commit,
                               const std::string& branch, const std::string& expected) const {
  const std::string name = std::string(kBranches) + branch;
  Result<GitAnswer> answer =
      online({"push", "--porcelain", "--no-verify", "--force-with-lease=" + name + ":" + expected,
              "--", url, commit + ":" + name});
  if (!answer) return answer.error();
  if (answer->code == 0) return base::Ok{};
  // "!<TAB>SHA:refs/heads/B<TAB>[rejected] (stale info)"
  for (const std::string_view line : base::split_lines(answer->out)) {
    const size_t tab = line.rfind('\t');
    if (line.starts_with('!') && tab != std::string_view::npos) {
      return failed({"push"}, base::printable(line.substr(tab + 1)));
    }
  }
  return failed({"push"}, answer->err);
}

Result<std::string> commit_of_branch(const std::string& repository, const std::string& branch) {
  const std::string name = std::string(kBranches) + branch + "^{commit}";
  Result<GitAnswer> answer = run_git({{"rev-parse", "--quiet", "--verify", name}, repository, ""});
  if (!answer) return answer.error();
  return answer->code == 0 ? line_of(answer->out) : std::string();
}

Result<bool> is_merged(const std::string& repository, const std::string& branch,
                       const std::string& base) {
  Result<GitAnswer> answer =
      run_git({{"merge-base", "--is-ancestor", std::string(kBranches) + branch,
                std::string(kBranches) + base},
               repository,
               ""});
  if (!answer) return answer.error();
  return answer->code == 0;
}

Result<std::string> commit_checked_out(const std::string& repository) {
  const Result<std::string> head =
      ask_git({{"rev-parse", "--quiet", "--verify", "HEAD^{commit}"}, repository, ""});
  if (!head) return usage_error(base::printable(repository) + " has no commit to begin from");
  return line_of(*head);
}

Status move_branch(const std::string& repository, const std::string& branch,
                   const std::string& from, const std::string& to) {
  const Result<std::string> moved =
      ask_git({{"update-ref", "-m", "orch land", std::string(kBranches) + branch, to, from},
               repository,
               ""});
  if (!moved) return moved.error();
  return base::Ok{};
}

Status remove_branch_at(const std::string& repository, const std::string& branch,
                        const std::string& at) {
  const Result<std::string> removed =
      ask_git({{"update-ref", "-d", std::string(kBranches) + branch, at}, repository, ""});
  if (!removed) return removed.error();
  return base::Ok{};
}

Status renew_index(const std::string& worktree) {
  const Result<std::string> read = ask_git({{"read-tree", "HEAD"}, worktree, ""});
  if (!read) return read.error();
  return base::Ok{};
}

Result<std::string> branch_in(const std::string& worktree) {
  Result<GitAnswer> head = run_git({{"symbolic-ref", "--quiet", "HEAD"}, worktree, ""});
  if (!head) return head.error();
  const std::string name = line_of(head->out);
  return name.starts_with(kBranches) ? name.substr(kBranches.size()) : std::string();
}

Result<std::vector<std::string>> files_in_the_way(const std::string& repository,
                                                  const std::string& branch,
                                                  const std::vector<ChangedFile>& changes) {
  std::vector<std::string> found;
  const Result<std::string> checkout = checkout_of(repository, branch);
  if (!checkout) return checkout.error();
  if (checkout->empty()) return found;
  for (const ChangedFile& file : changes) {
    const std::string path = *checkout + "/" + file.path;
    struct stat info {};
    if (file.is_new && ::lstat(path.c_str(), &info) == 0) found.push_back(path);
  }
  return found;
}

Status fast_forward(const std::string& repository, const std::string& branch,
                    const std::string& from, const std::string& to) {
  const Result<std::string> found = checkout_of(repository, branch);
  if (!found) return found.error();
  const std::string& checkout = *found;
  if (checkout.empty()) return move_branch(repository, branch, from, to);
  const std::string named = base::printable(checkout) + ", which has " + branch + " checked out, ";
  if (const std::string doing = unfinished_operation(checkout); !doing.empty()) {
    return usage_error(named + "is in the middle of a " + doing +
                       ": git status there says how to end it");
  }
  const Result<std::string> status = ask_git({{"status", "--porcelain", "-z", "--no-renames",
                                               "--untracked-files=no", "--ignore-submodules=all"},
                                              checkout,
                                              ""});
  if (!status) return status.error();
  if (!status->empty()) {
    return usage_error(named + "has changes that are not committed: git commit or git stash there");
  }
  Result<std::string> at = commit_of_branch(repository, branch);
  if (!at) return at.error();
  if (*at != from) {
    return base::Error{base::ErrorCode::kSystem, "branch " + branch + " was moved just now"};
  }
  const Result<std::string> merged =
      ask_git({{"merge", "--quiet", "--no-stat", "--ff-only", "--no-overwrite-ignore",
                "--no-verify-signatures", to},
               checkout,
               ""});
  if (!merged) return merged.error();
  return base::Ok{};
}

std::string unfinished_operation(const std::string& worktree) {
  const std::string git = git_folder_of(worktree).own;
  constexpr std::array<std::pair<const char*, const char*>, 6> kMarks{
      {{"/MERGE_HEAD", "merge"},
       {"/CHERRY_PICK_HEAD", "cherry-pick"},
       {"/REVERT_HEAD", "revert"},
       {"/rebase-merge", "rebase"},
       {"/rebase-apply", "rebase"},
       {"/BISECT_START", "bisect"}}};
  for (const auto& [mark, operation] : kMarks) {
    struct stat info {};
    if (::lstat((git + mark).c_str(), &info) == 0) return operation;
  }
  return "";
}

}  // namespace orch::repo
