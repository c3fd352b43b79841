#include "repo/diff.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "repo/git_places.h"
#include "repo/git_program.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder_at.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

using base::Result;
using base::Status;

constexpr int64_t kMostFileBytes = int64_t{8} << 20;
constexpr int64_t kMostBytes = int64_t{256} << 20;
constexpr size_t kMostFiles = 20'000;
constexpr size_t kSha256Digits = 64;

// Whether git's index refuses the path: a part of it is ".git", or it is a link ".gitmodules", in
// upper or lower case.
bool is_refused_by_git(std::string_view path, bool is_link) {
  const auto is = [](std::string_view name, std::string_view wanted) {
    return std::ranges::equal(name, wanted, [](char a, char b) { return base::lower(a) == b; });
  };
  if (is_link && is(name_of(path), ".gitmodules")) return true;
  for (; !path.empty(); path = parent_of(path)) {
    if (is(name_of(path), ".git")) return true;
  }
  return false;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The first number of a numstat line's column; 0 for "-", which stands for a binary file.
int64_t number_at(std::string_view& line) {
  int64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  line.remove_prefix(std::min(line.find('\t') + 1, line.size()));
  return number;
}

}  // namespace

// Writes two states into the repository of a Diff.
class DiffMaker {
  // One side of a file that differs: the file in the temporary folder that has its content.
  struct Side {
    std::string_view mode;  // as git writes it
    size_t blob = 0;        // counts from 0
    bool is_whole = true;   // otherwise a word stands for the content
  };

 public:
  static Result<Diff> begin(bool is_sha256) {
    std::error_code failure;
    Result<store::TemporaryFolder> folder =
        store::TemporaryFolder::make("diff", fs::temp_directory_path(failure));
    if (!folder) return folder.error();
    Diff diff(std::move(folder).value());
    const std::string path = diff.folder_.path();
    fs::create_directory(path + "/files", failure);
    const Result<std::string> made =
        ask_git({{"init", "-q", "--bare", "--template=",
                  std::string("--object-format=") + (is_sha256 ? "sha256" : "sha1"), path + "/git"},
                 path,
                 ""});
    if (!made) return made.error();
    return diff;
  }

  // `prefix` is the path of the compared folder in its repository: git apply takes the paths of a
  // patch from there.
  DiffMaker(Diff& diff, std::string prefix)
      : diff_(diff), folder_(diff.folder_.path()), prefix_(std::move(prefix)) {}

  // The content of a path in a snapshot; nullopt if it is neither a file nor a link there.
  Result<std::optional<Side>> kept(const KeptEntry* entry, const KeptBytes& bytes) {
    if (entry == nullptr) return std::optional<Side>();
    const Node& node = entry->entry.node;
    if (node.kind == EntryKind::kLink) return link(entry->entry.target);
    if (node.kind != EntryKind::kFile) return std::optional<Side>();
    const std::string_view mode = mode_of(node.mode);
    if (entry->kept != Kept::kArchived && entry->kept != Kept::kLinked) {
      return stand_in(mode, "not in the snapshot", node.size);
    }
    if (!has_room(node.size)) return stand_in(mode, "too large", node.size);
    const size_t blob = blobs_++;
    const Result<base::Fd> to = store::open_for_writing(path_of(blob), O_EXCL);
    if (!to) return to.error();
    if (Status s = bytes.write_to(*entry, *to); !s) return s.error();
    return std::optional(Side{mode, blob});
  }

  // The content of a path as it is now.
  Result<std::optional<Side>> present(store::FolderCache& folders, const std::string& path) {
    const base::Fd& folder = folders.open(parent_of(path));
    const std::string name(name_of(path));
    struct stat info {};
    const bool there =
        folder.valid() && ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there) return std::optional<Side>();
    if (S_ISLNK(info.st_mode)) {
      std::string target(static_cast<size_t>(info.st_size) + 1, '\0');
      const ssize_t size = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
      if (size < 0) return std::optional<Side>();
      target.resize(static_cast<size_t>(size));
      return link(target);
    }
    if (!S_ISREG(info.st_mode)) return std::optional<Side>();
    const std::string_view mode = mode_of(info.st_mode);
    if (!has_room(info.st_size)) return stand_in(mode, "too large now", info.st_size);
    // Non-blocking, because a pipe may have replaced the file.
    const base::Fd file(
        ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid()) return stand_in(mode, "closed now", info.st_size);
    const Result<std::string> bytes = store::read_open_file(file, path, kMostFileBytes);
    if (!bytes) return stand_in(mode, "cannot be read now", info.st_size);
    return write(mode, *bytes);
  }

  // Adds a path to both states. A path that git's index does not take becomes a note.
  void add(const std::string& below, const std::optional<Side>& before,
           const std::optional<Side>& after) {
    constexpr std::string_view kLink = "120000";
    const std::string path = joined(prefix_, below);
    const bool is_link = (before && before->mode == kLink) || (after && after->mode == kLink);
    if (is_refused_by_git(path, is_link)) {
      diff_.notes_.push_back(base::printable(path) + " differs, but git takes no such name");
      return;
    }
    if (before) before_.emplace_back(path, *before);
    if (after) after_.emplace_back(path, *after);
    const bool is_whole = (!before || before->is_whole) && (!after || after->is_whole);
    if (!is_whole) diff_.unknown_.push_back(path);
    if (!before && !after) diff_.notes_.push_back(base::printable(path) + " differs");
  }

  Status finish() {
    std::string files;
    for (size_t i = 0; i < blobs_; ++i) files += path_of(i) + "\n";
    Result<std::string> names =
        diff_.git({"hash-object", "-w", "--no-filters", "--stdin-paths"}, std::move(files));
    if (!names) return names.error();
    for (const std::string_view name : base::split_lines(*names)) names_.emplace_back(name);
    if (names_.size() != blobs_) {
      return base::Error{base::ErrorCode::kSystem, "git hash-object named another number of files"};
    }
    if (Status s = write_tree(before_, diff_.before_); !s) return s;
    return write_tree(after_, diff_.after_);
  }

 private:
  using Entries = std::vector<std::pair<std::string, Side>>;

  static std::string_view mode_of(mode_t mode) {
    constexpr mode_t kExecutable = 0100;
    return (mode & kExecutable) != 0 ? "100755" : "100644";
  }
  std::string path_of(size_t blob) const { return folder_ + "/files/" + std::to_string(blob); }

  bool has_room(int64_t size) {
    if (size > kMostFileBytes || bytes_ + size > kMostBytes) return false;
    bytes_ += size;
    return true;
  }

  Result<std::optional<Side>> write(std::string_view mode, std::string_view bytes) {
    const size_t blob = blobs_++;
    if (Status s = store::write_file_unsynced(path_of(blob), bytes); !s) return s.error();
    return std::optional(Side{mode, blob});
  }
  Result<std::optional<Side>> link(const std::string& target) { return write("120000", target); }
  // The NUL makes it a binary file to git. Neither side's text is ever the other's.
  Result<std::optional<Side>> stand_in(std::string_view mode, std::string_view why, int64_t size) {
    using namespace std::string_view_literals;
    Result<std::optional<Side>> side =
        write(mode, std::string("\0"sv) + std::string(why) + " " + std::to_string(size));
    if (side) (*side)->is_whole = false;
    return side;
  }

  Status write_tree(const Entries& entries, std::string& tree) {
    std::string lines;
    for (const auto& [path, side] : entries) {
      lines.append(side.mode).append(" ").append(names_[side.blob]).append("\t").append(path);
      lines += '\0';
    }
    if (Result<std::string> emptied = diff_.git({"read-tree", "--empty"}); !emptied) {
      return emptied.error();
    }
    Result<std::string> listed =
        diff_.git({"update-index", "-z", "--index-info"}, std::move(lines));
    if (!listed) return listed.error();
    Result<std::string> written = diff_.git({"write-tree"});
    if (!written) return written.error();
    tree = base::trim(*written);
    return base::Ok{};
  }

  Diff& diff_;
  std::string folder_, prefix_;
  size_t blobs_ = 0;
  int64_t bytes_ = 0;
  std::vector<std::string> names_;  // of the blobs
  Entries before_, after_;
};

namespace {

using EntryOf = std::unordered_map<std::string_view, const KeptEntry*>;

EntryOf entries_of(const Manifest& manifest) {
  EntryOf found;
  for (const KeptEntry& kept : manifest.roots.front().entries) {
    found.emplace(kept.entry.path, &kept);
  }
  return found;
}

const KeptEntry* entry_at(const EntryOf& entries, const std::string& path) {
  const auto found = entries.find(path);
  return found == entries.end() ? nullptr : found->second;
}

}  // namespace

namespace {

// One run's part of a difference.
struct Step {
  OpenedSnapshot begun;
  std::optional<OpenedSnapshot> ended;  // absent: the folder as it is now
  EntryOf then, now;
  std::unordered_set<std::string> changed;
};

Result<Step> open_step(const DiffStep& wanted) {
  Result<OpenedSnapshot> begun = open_snapshot(wanted.begun);
  if (!begun) return begun.error();
  Step step{std::move(begun).value(), {}, {}, {}, {}};
  if (!wanted.ended.empty()) {
    Result<OpenedSnapshot> ended = open_snapshot(wanted.ended);
    if (!ended) return ended.error();
    step.ended = std::move(ended).value();
    step.now = entries_of(step.ended->manifest);
  }
  step.then = entries_of(step.begun.manifest);
  return step;
}

// The steps between which a path's difference is shown: from the begin of the first one to the end
// of the last one. Goes back over steps in an unbroken row, in which nobody else changed the path.
struct Span {
  size_t first = 0, last = 0;
};
Span span_of(const std::vector<Step>& steps, const std::string& path) {
  size_t last = steps.size() - 1;
  while (last > 0 && !steps[last].changed.contains(path)) --last;
  size_t first = last;
  while (first > 0 && steps[first - 1].ended &&
         !may_differ(entry_at(steps[first - 1].now, path), entry_at(steps[first].then, path))) {
    --first;
  }
  return {first, last};
}

}  // namespace

Result<Diff> Diff::since(const DiffWanted& wanted) {
  std::vector<DiffStep> folders = wanted.earlier;
  folders.push_back({wanted.since.snapshot, wanted.later_snapshot});
  std::vector<Step> steps;
  for (const DiffStep& folder : folders) {
    Result<Step> step = open_step(folder);
    if (!step) return step.error();
    steps.push_back(std::move(step).value());
  }
  std::set<std::string> paths;
  for (Step& step : steps) {
    const Result<std::vector<std::string>> changed =
        changed_paths(wanted.since, step.begun.manifest, step.begun.bytes,
                      step.ended ? &step.ended->manifest : nullptr);
    if (!changed) return changed.error();
    paths.insert(changed->begin(), changed->end());
    step.changed.insert(changed->begin(), changed->end());
  }
  Result<Diff> diff = DiffMaker::begin(false);
  if (!diff) return diff;
  DiffMaker maker(*diff, path_in_repository(steps.back().begun.manifest));
  store::FolderCache present(steps.back().ended ? base::Fd()
                                                : store::open_root(wanted.since.work_dir));
  size_t shown = 0;
  for (const std::string& path : paths) {
    if (shown++ == kMostFiles) break;
    const Span span = span_of(steps, path);
    const Step &first = steps[span.first], &last = steps[span.last];
    const auto old = maker.kept(entry_at(first.then, path), first.begun.bytes);
    if (!old) return old.error();
    const auto made = last.ended ? maker.kept(entry_at(last.now, path), last.ended->bytes)
                                 : maker.present(present, path);
    if (!made) return made.error();
    maker.add(path, *old, *made);
  }
  if (paths.size() > kMostFiles) {
    diff->uncompared_ = static_cast<int64_t>(paths.size() - kMostFiles);
    diff->notes_.push_back(std::to_string(diff->uncompared_) + " more files differ");
  }
  if (Status s = maker.finish(); !s) return s.error();
  return diff;
}

Result<Diff> Diff::of_commits(const CommitsWanted& wanted) {
  if (!is_digits(wanted.before) || !is_digits(wanted.after)) {
    return base::usage_error("the commits of the run are not known");
  }
  Result<Diff> diff = DiffMaker::begin(wanted.before.size() == kSha256Digits);
  if (!diff) return diff;
  const GitFolder git = git_folder_of(wanted.repository);
  if (git.common.empty() || git.common.find('\n') != std::string::npos) {
    return base::usage_error(base::printable(wanted.repository) + " is in no git repository");
  }
  // Only the objects of the repository are used, not its settings.
  const std::string alternates = diff->folder_.path() + "/git/objects/info/alternates";
  std::error_code failure;
  fs::create_directories(fs::path(alternates).parent_path(), failure);
  if (Status s = store::write_file_unsynced(alternates, git.common + "/objects\n"); !s) {
    return s.error();
  }
  diff->before_ = wanted.before;
  diff->after_ = wanted.after;
  return diff;
}

Result<std::string> Diff::git(std::vector<std::string> words, std::string input) const {
  const std::string folder = folder_.path();
  // The checks of names protect checkouts on other systems.
  const std::vector<std::string> settings{"-c", "core.protectNTFS=false", "-c",
                                          "core.protectHFS=false", "--git-dir=" + folder + "/git"};
  words.insert(words.begin(), settings.begin(), settings.end());
  return ask_git({std::move(words), folder, std::move(input)});
}

Result<std::string> Diff::diff(std::vector<std::string> words,
                               const std::vector<std::string>& paths) const {
  words.insert(words.begin(), {"diff", "--no-ext-diff", "--no-textconv", "--no-color",
                               "--ignore-submodules=none", "--submodule=short"});
  words.insert(words.end(), {before_, after_, "--"});
  words.insert(words.end(), paths.begin(), paths.end());
  return git(std::move(words));
}

Result<std::string> Diff::patch() const { return diff({"--patch"}); }

Result<std::string> Diff::whole_patch() const {
  std::vector<std::string> others, unknown;
  for (const std::string& path : unknown_) {
    others.push_back(":(exclude,literal)" + path);
    unknown.push_back(":(literal)" + path);
  }
  Result<std::string> text = diff({"--patch", "--binary"}, others);
  if (!text || unknown.empty()) return text;
  const Result<std::string> named = diff({"--patch"}, unknown);
  if (!named) return named.error();
  return *text + *named;
}

Result<std::string> Diff::stat(int columns) const {
  return diff({"--stat=" + std::to_string(columns)});
}

Result<DiffCount> Diff::count() const {
  const Result<std::string> lines = diff({"--numstat"});
  if (!lines) return lines.error();
  DiffCount count{.files = uncompared_};
  for (std::string_view line : base::split_lines(*lines)) {
    ++count.files;
    count.added += number_at(line);
    count.removed += number_at(line);
  }
  return count;
}

}  // namespace orch::repo
