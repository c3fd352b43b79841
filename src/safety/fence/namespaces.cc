#include "fence/namespaces.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "base/child.h"
#include "base/fd.h"
#include "base/own_program.h"
#include "base/text.h"
#include "fence/places.h"

extern char** environ;

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string_view> more) {
  for (const std::string_view word : more) words.emplace_back(word);
}

// The options that every fenced process gets.
Words frame(const std::string& bubblewrap) {
  return {bubblewrap, "--unshare-pid", "--unshare-ipc", "--ro-bind", "/",       "/",
          "--dev",    "/dev",          "--proc",        "/proc",     "--tmpfs", "/run"};
}

bool is_granted(const Plan& plan, const std::string& path) {
  return std::any_of(plan.write.begin(), plan.write.end(),
                     [&path](const Grant& grant) { return is_within(path, grant.path); });
}

bool is_hidden(const Plan& plan, const std::string& path) {
  const bool covered = is_within(path, "/tmp") || is_within(path, "/run");
  return covered && !is_in_one_of(plan.visible, path) && !is_granted(plan, path);
}

// Whether nothing of the path can be seen, whatever is in it.
bool is_out_of_sight(const Plan& plan, const std::string& path) {
  return is_hidden(plan, path) || (is_emptied(plan.homes, path) && !is_granted(plan, path));
}

// Whether the path was in a place that is covered as a whole: then it does not exist, and cannot be
// a mount point.
bool is_gone_with_secrets(const Plan& plan, const std::string& path) {
  const auto covers = [&](const std::string& place) {
    return is_within(path, place) && !is_out_of_sight(plan, place);
  };
  const auto covered = [&covers](const std::vector<std::string>& places) {
    return std::any_of(places.begin(), places.end(), covers);
  };
  return (covered(plan.secrets.closed) || covered(plan.secrets.of_machine)) &&
         !is_in_one_of(plan.secrets.open, path);
}

// Covers a path, so that only the paths in `open` stay visible in it. A link is left alone: its
// target is a place of its own.
void cover(Words& words, const std::string& path, const std::vector<std::string>& open = {}) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
  if (!S_ISDIR(info.st_mode)) {
    return add(words,
               {"--ro-bind", "/dev/null", path});  // a device where none may be opened: EACCES
  }
  add(words, {"--tmpfs", path});
  for (const std::string& inner : open) {
    if (inner != path && is_within(inner, path)) add(words, {"--ro-bind-try", inner, inner});
  }
  add(words, {"--remount-ro", path});
}

// Replaces folders where a secret may appear, or be replaced, by new ones with all their other
// entries, because a mount covers only files that exist now. Not needed with Landlock, which closes
// places that do not exist. Folders that are granted are left alone: an agent that may write there
// sees new files. Returns the replaced folders.
std::vector<std::string> rebuild(Words& words, const Plan& plan) {
  std::vector<std::string> folders;
  if (plan.layers.landlock) return folders;
  for (const std::string& place : plan.secrets.closed) {
    std::string folder = place;
    struct stat info {};
    do {
      folder.resize(std::max(folder.rfind('/'), size_t{1}));
    } while (folder != "/" && (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)));
    const bool stays = folder == "/" || is_out_of_sight(plan, folder) || is_granted(plan, folder);
    if (!stays && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(std::move(folder));
    }
  }
  std::sort(folders.begin(), folders.end());  // outer ones first
  for (const std::string& folder : folders) {
    add(words, {"--tmpfs", folder});
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const std::string path = entry->path().string();
      if (is_in_one_of(plan.secrets.closed, path)) continue;
      if (entry->is_symlink(failure)) {
        add(words, {"--symlink", fs::read_symlink(entry->path(), failure).string(), path});
      } else {
        add(words, {"--ro-bind-try", path, path});
      }
    }
  }
  return folders;
}

// Puts an empty folder in the place of each home, with the home's visible parts.
void empty_homes(Words& words, const Plan& plan) {
  for (const std::string& home : plan.homes.emptied) {
    if (!is_hidden(plan, home)) add(words, {"--tmpfs", home});
  }
  for (const std::string& path : plan.homes.shown) {
    if (is_hidden(plan, path)) continue;
    std::error_code failure;
    if (fs::is_symlink(fs::symlink_status(path, failure))) {
      add(words, {"--symlink", fs::read_symlink(path, failure).string(), path});
    } else {
      add(words, {"--ro-bind-try", path, path});
    }
  }
}

int run(const Words& words, std::string& said) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  const base::Fd from(ends[0]);
  base::Fd to(ends[1]);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, to.get(), 2);
  const std::vector<char*> argv = base::pointers(words);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return failure;
  to.reset();
  said = base::read_to_end(from);
  return base::end_of(pid);
}

}  // namespace

std::vector<std::string> in_namespaces(const Plan& plan, const std::vector<std::string>& command) {
  Words words = frame(plan.bubblewrap);
  const Network::Kind network = plan.network.kind;
  if (network == Network::Kind::kNone || network == Network::Kind::kModel) {
    words.emplace_back("--unshare-net");
  }
  add(words, {"--bind", plan.scratch, "/tmp"});
  for (const std::string& path : plan.visible) add(words, {"--ro-bind", path, path});
  empty_homes(words, plan);
  const std::vector<std::string> rebuilt = rebuild(words, plan);
  for (const Grant& grant : plan.write) {
    const bool device = is_within(grant.path, "/dev");
    add(words, {device ? "--dev-bind" : "--bind", grant.path, grant.path});
  }
  for (const auto* places : {&plan.secrets.closed, &plan.secrets.of_machine}) {
    for (const std::string& path : *places) {
      if (!is_out_of_sight(plan, path)) cover(words, path, plan.secrets.open);
    }
  }
  for (const std::string& path : plan.sockets) {
    if (!is_out_of_sight(plan, path) && !is_gone_with_secrets(plan, path)) cover(words, path);
  }
  for (const std::string& home : plan.homes.emptied) {
    if (!is_hidden(plan, home)) add(words, {"--remount-ro", home});
  }
  for (const std::string& folder : rebuilt) add(words, {"--remount-ro", folder});
  add(words, {"--chdir", plan.work_dir.path, "--"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

base::Result<std::string> find_bubblewrap() {
  base::Result<std::string> program = base::own_program("bwrap");
  if (!program && program.error().code == base::ErrorCode::kNotFound) {
    return base::Error{base::ErrorCode::kNotFound, "bubblewrap (bwrap) is not installed"};
  }
  if (!program) return program;
  Words words = frame(*program);
  add(words, {"--", *program, "--version"});
  std::string said;
  if (run(words, said) == 0) return program;
  const std::vector<std::string_view> lines = base::split_lines(said);
  return base::Error{base::ErrorCode::kSystem,
                     lines.empty() ? *program + " failed" : base::printable(lines.front())};
}

}  // namespace orch::fence
