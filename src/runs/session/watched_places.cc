#include "session/watched_places.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/path.h"
#include "policy/protected_path.h"
#include "session/git_config.h"
#include "store/file_io.h"

namespace orch::session {

namespace fs = std::filesystem;

namespace {

using Kind = ConfigWatch::Kind;

// Files and folders in a work folder that name programs, or code, which somebody's ordinary later
// command runs there, although nobody reviews them like a Makefile or a package.json. Build files
// and tests of the project itself are not among them: they change all the time. The files of agents
// are policy::kAgentFiles.
constexpr std::array kWatchedInWork{
    // editors, debuggers and tools that open a project
    ".vscode", ".idea", ".zed", ".fleet", ".theia", ".devcontainer", ".devcontainer.json",
    ".gitpod.yml", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".vim", ".dir-locals.el",
    ".dir-locals-2.el", ".gdbinit", ".lldbinit",
    // shells, and tools that set up an environment when the user enters the folder
    ".envrc", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".mise.toml",
    "mise.toml", ".mise", ".tool-versions", ".autoenv", ".env.vars", "devbox.json",
    // package managers and build tools: which program, plugin, registry or wrapper they use
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/plugins", ".yarn/releases", ".pnp.cjs",
    ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".cargo/config", ".cargo/config.toml",
    ".mvn", "gradle/wrapper", "gradlew", "mvnw", ".bundle/config", ".bazelrc", "tools/bazel",
    "pip.conf", "uv.toml", "nuget.config", "NuGet.Config", ".irbrc", ".pryrc", ".rspec",
    // hooks for git that their managers run
    ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", "lefthook-local.yml",
    ".lefthook", ".lefthook.yml", ".overcommit.yml", ".lintstagedrc", ".huskyrc"};
// The same in a folder of git's: "remotes" and "branches" are where git kept the addresses of
// remotes before they were configured, and a rebase that is continued runs the commands in its
// list.
constexpr std::array kWatchedInGit{"hooks", "info/attributes", "remotes", "branches",
                                   "rebase-merge/git-rebase-todo"};
constexpr std::array kGitConfigs{"config", "config.worktree"};
constexpr size_t kMostGitConfigBytes = 4 << 20;
// The agent may have written a configuration: it could name any number of files, or files that
// include each other.
constexpr size_t kMostNamed = 10'000;
constexpr int kDeepestInclude = 10;  // git refuses deeper ones

bool is_git_folder(const std::string& folder) {
  std::error_code failure;
  return fs::path(folder).filename() == ".git" || fs::exists(folder + "/HEAD", failure);
}

// The folder that relative paths in git's configuration start from: the nearest parent with a .git.
std::string root_of(const std::string& folder) {
  std::error_code failure;
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / ".git", failure))) return at.string();
  }
  return folder;
}

std::string normal(const fs::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

GitConfig config_in(const std::string& file) {
  const base::Result<std::string> text = store::read_regular_file(file, kMostGitConfigBytes);
  return text ? read_git_config(*text) : GitConfig{};
}

// The work folders of a submodule, as the configuration in its git folder says.
std::vector<std::string> work_named_by(const std::string& git) {
  std::vector<std::string> folders;
  for (const char* name : kGitConfigs) {
    for (const GitSetting& each : config_in(git + "/" + name).settings) {
      if (each.section == "core" && each.key == "worktree") {
        folders.push_back(normal(fs::path(git) / each.value));
      }
    }
  }
  return folders;
}

// The words of a command, roughly: splits it where a shell would, and at both ends of a variable.
std::vector<std::string> words_of(const std::string& command) {
  constexpr std::string_view kBetween = " \t\r\n\"'`=|&;<>(){}$!,";
  std::vector<std::string> words{command};  // the whole may be one path with blanks
  for (size_t at = 0; (at = command.find_first_not_of(kBetween, at)) != std::string::npos;) {
    const size_t end = std::min(command.find_first_of(kBetween, at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end;
  }
  return words;
}

class WatchedPlaces {
 public:
  WatchedPlaces(const std::vector<std::string>& folders, std::string home)
      : folders_(folders), home_(std::move(home)) {
    for (const std::string& folder : folders) roots_.insert(root_of(folder));
    for (const std::string& folder : folders) add_granted(folder);
  }
  std::vector<ConfigWatch::Place> all() && { return std::move(places_); }

 private:
  void add(const std::string& path, Kind kind = Kind::kAny) {
    if (known_.insert(path).second) places_.push_back({{path, {}, ""}, path, kind});
  }

  void add_granted(const std::string& folder) {
    for (const std::string_view name : policy::kAgentFiles) add(folder + "/" + std::string(name));
    for (const char* name : kWatchedInWork) add(folder + "/" + name);
    add_work(folder);
    // A folder with a HEAD in it may be a git repository itself.
    if (is_git_folder(folder)) {
      add_git(folder);
    } else {
      add(folder + "/HEAD");
    }
    for (const char* below : {"/modules", "/.git/modules", "/worktrees", "/.git/worktrees"}) {
      add_git_below(folder + below);
    }
  }

  // Watches a folder that has, or could have, a .git.
  void add_work(const std::string& folder) {
    add(folder + "/.git", Kind::kGitLink);
    add_git(folder + "/.git");
  }

  // Watches the git folders of submodules and worktrees.
  void add_git_below(const std::string& folder) {
    constexpr int kDeepest = 3;  // levels of folders that a submodule's name may have
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
      std::error_code missing;
      const bool is_git = fs::exists(entry->path() / "HEAD", missing);
      if (is_git) add_git(entry->path().string());
      if (is_git || entry.depth() >= kDeepest) entry.disable_recursion_pending();
    }
  }

  void add_git(const std::string& git) {
    for (const char* name : kWatchedInGit) add(git + "/" + name);
    add(git + "/commondir", Kind::kGitLink);
    std::set<std::string> roots = roots_;
    roots.insert(git);  // the root of a bare repository
    const bool is_own = fs::path(git).filename() == ".git";
    if (is_own) roots.insert(fs::path(git).parent_path().string());
    for (const std::string& root : work_named_by(git)) {
      roots.insert(root);
      // git also runs in submodules: a .git that is replaced there would lead it to another folder.
      if (!is_own && is_writable(root)) add_work(root);
    }
    for (const char* name : kGitConfigs) add_config(git + "/" + name, roots, 0);
  }

  void add_config(const std::string& file, const std::set<std::string>& roots, int depth) {
    if (known_.contains(file)) return;
    add(file, Kind::kGitConfig);
    const GitConfig config = config_in(file);
    for (const GitSetting& each : config.settings) {
      if (each.key == "path" && (each.section == "include" || each.section == "includeif")) {
        const std::string more = path_in(fs::path(file).parent_path(), each.value);
        if (depth < kDeepestInclude && may_name(more)) add_config(more, roots, depth + 1);
      } else if (!is_harmless(each, config)) {
        for (const std::string& root : roots) add_named(each, root);
      }
    }
  }

  void add_named(const GitSetting& setting, const std::string& root) {
    if (setting.section == "core" && setting.key == "hookspath") {
      std::string hooks = path_in(root, setting.value);
      // husky writes its own hooks into a folder named "_"; they run the hooks in the folder around
      // it.
      if (fs::path(hooks).filename() == "_") hooks = fs::path(hooks).parent_path().string();
      if (may_name(hooks)) add(hooks);
      return;
    }
    for (const std::string& word : words_of(setting.value)) {
      const std::string path = path_in(root, word);
      if (!may_name(path)) continue;
      std::error_code failure;
      const fs::file_status status = fs::status(path, failure);
      const bool may_come = !fs::exists(status) && word.find('/') != std::string::npos;
      if (may_come || fs::is_regular_file(status)) add(path);
    }
  }

  std::string path_in(const fs::path& folder, const std::string& path) const {
    if (path.starts_with("~/")) return normal(fs::path(home_) / path.substr(2));
    return normal(folder / path);
  }

  bool may_name(const std::string& path) { return ++named_ <= kMostNamed && is_writable(path); }

  // Whether the path, as it is or with its links followed, is in one of the folders.
  bool is_writable(const std::string& path) const {
    std::error_code failure;
    const std::string real = fs::weakly_canonical(path, failure).string();
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      return base::is_within(path, folder) || base::is_within(real, folder);
    });
  }

  const std::vector<std::string>& folders_;
  std::string home_;
  std::set<std::string> roots_, known_;
  std::vector<ConfigWatch::Place> places_;
  size_t named_ = 0;  // how many paths the configurations have named
};

}  // namespace

std::vector<ConfigWatch::Place> watched_places(const std::vector<std::string>& folders,
                                               const std::string& home) {
  return WatchedPlaces(folders, home).all();
}

}  // namespace orch::session
