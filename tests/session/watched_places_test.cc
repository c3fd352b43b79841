// Which files are watched beside the fixed ones: those that git's configuration names, and those
// that would make git use others.
#include "session/watched_places.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "watched_folder.h"

using orch::session::ConfigWatch;
using orch::session::watched_places;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A repository "work" with this configuration, and what is reported when something in it changes.
class Repository : public WatchedFolder {
 public:
  explicit Repository(const std::string& config) {
    write("work/.git/HEAD", "ref: refs/heads/main\n");
    write("work/.git/config", config);
  }

  template <typename Change>
  Names told(const Change& change, Names folders = {"work"}) const {
    for (std::string& folder : folders) folder = *this / folder;
    const ConfigWatch watch(watched_places(folders, path()));
    CHECK(watch.changed().empty());
    change();
    Names names = watch.changed();
    for (std::string& name : names) name = name.substr(path().size() + 1);
    return names;
  }
  Names told_of(const std::string& file, Names folders = {"work"}) const {
    return told([&] { write(file, "changed"); }, std::move(folders));
  }
};

}  // namespace

TEST_CASE("what an ordinary later command runs in a work folder is watched") {
  const Repository repository("");
  for (const char* name : {".devcontainer/devcontainer.json",
                           ".devcontainer.json",
                           ".yarnrc.yml",
                           ".yarn/plugins/x.cjs",
                           ".yarn/releases/yarn.cjs",
                           ".cargo/config.toml",
                           ".cargo/config",
                           ".husky/pre-commit",
                           ".npmrc",
                           ".pnpmfile.cjs",
                           ".envrc",
                           ".mvn/jvm.config",
                           "gradle/wrapper/gradle-wrapper.jar",
                           "gradlew",
                           ".idea/workspace.xml",
                           ".zed/tasks.json",
                           ".vscode/tasks.json",
                           ".exrc",
                           ".nvim.lua",
                           ".dir-locals.el",
                           ".gdbinit",
                           ".bazelrc",
                           ".pre-commit-config.yaml",
                           "lefthook.yml",
                           ".githooks/pre-push",
                           ".mcp.json",
                           ".cursor/mcp.json",
                           ".gemini/settings.json",
                           "opencode.json",
                           "kilo.json",
                           ".kilo/plugin/a.js",
                           ".pi/extensions/a.ts",
                           ".continue/config.yaml",
                           ".github/hooks/a.json",
                           "mise.toml"}) {
    INFO(name);
    CHECK(repository.told_of(std::string("work/") + name).size() == 1);
  }
  CHECK(repository.told_of("work/package.json").empty());
  CHECK(repository.told_of("work/.cargo/registry/x").empty());
}

TEST_CASE("a folder that core.hooksPath names is watched") {
  const Repository repository("[core]\n\thooksPath = .husky/_\n");
  repository.write("work/.husky/pre-commit", "npm test");
  CHECK(repository.told_of("work/.husky/pre-commit") == Names{"work/.husky"});
  CHECK(repository.told_of("work/.husky/_/post-merge") == Names{"work/.husky"});
  CHECK(Repository("[core]hookspath=\"~/work/h\"").told_of("work/h/x") == Names{"work/h"});
  const Repository included("[include]\npath = hooks.inc\n");
  included.write("work/.git/hooks.inc", "[Core]\nHooksPath = tools/hooks\n");
  CHECK(included.told_of("work/tools/hooks/pre-push") == Names{"work/tools/hooks"});
  // From a subfolder, and from git's folder, which is granted as well.
  const Repository inner("[core]\n\thooksPath = sub/hooks\n");
  CHECK(inner.told_of("work/sub/hooks/x", {"work/sub", "work/.git"}) == Names{"work/sub/hooks"});
}

TEST_CASE("configuration that is included is watched, as it is there or may come to be") {
  const Repository repository(
      "[include]\n\tpath = ../.gitconfig\n"
      "[includeIf \"onbranch:x\"]\n\tpath = ~/work/more\n");
  CHECK(repository.told_of("work/.gitconfig") == Names{"work/.gitconfig"});
  const std::string harmless = "[branch \"x\"]\nmerge = refs/heads/x\n";
  CHECK(repository.told([&] { repository.write("work/more", harmless); }).empty());
  CHECK(repository.told([&] { repository.write("work/more", "[alias]\nx = !y\n"); }) ==
        Names{"work/more"});
  // Files that include each other do not go on for ever.
  repository.write("work/more", "[include]\npath = .gitconfig\n");
  repository.write("work/.gitconfig", "[include]\npath = more\n[include]path=deep\n");
  CHECK(repository.told_of("work/deep") == Names{"work/deep"});
}

TEST_CASE("a program in the work folder that a setting names is watched") {
  const Repository repository(
      "[filter \"f\"]\n\tclean = sh -c 'tools/clean.sh \"$1\"'\n[core]\n\tfsmonitor = ask\n"
      "[remote \"r\"]\n\turl = https://host/tools\n");
  CHECK(repository.told_of("work/other").empty());
  CHECK(repository.told_of("work/tools/clean.sh") == Names{"work/tools/clean.sh"});
  repository.write("work/ask", "");
  CHECK(repository.told_of("work/ask") == Names{"work/ask"});
  CHECK(repository.told_of("elsewhere").empty());
}

TEST_CASE("what would lead git to other configuration is watched") {
  const Repository repository("");
  CHECK(repository.told_of("work/.git/commondir") == Names{"work/.git/commondir"});
  fs::create_directories(repository / "plain");
  CHECK(repository.told([&] { repository.write("plain/.git", "gitdir: evil"); }, {"plain"}) ==
        Names{"plain/.git"});
  CHECK(repository.told([&] { fs::remove(repository / "plain/.git"); }, {"plain"}).empty());
  CHECK(repository.told([&] { fs::create_directory_symlink("evil", repository / "plain/.git"); },
                        {"plain"}) == Names{"plain/.git"});
  CHECK(repository.told_of("plain/HEAD", {"plain"}) == Names{"plain/HEAD"});
  CHECK(repository.told_of("work/.git/rebase-merge/git-rebase-todo").size() == 1);
}

TEST_CASE("worktrees and the work folders of submodules are watched") {
  const Repository repository("");
  repository.write("work/.git/worktrees/w/HEAD", "");
  repository.write("work/.git/worktrees/w/commondir", "../..");
  CHECK(repository.told_of("work/.git/worktrees/w/config.worktree").size() == 1);
  CHECK(repository.told_of("work/.git/worktrees/w/commondir").size() == 1);
  // A removal, such as another run may do at the same time, is not reported.
  CHECK(
      repository.told([&] { fs::remove(repository / "work/.git/worktrees/w/commondir"); }).empty());
  repository.write("work/.git/modules/m/HEAD", "");
  repository.write("work/.git/modules/m/config", "[core]\n\tworktree = ../../../sub/m\n");
  repository.write("work/sub/m/.git", "gitdir: ../../.git/modules/m");
  CHECK(repository.told_of("work/sub/m/.git") == Names{"work/sub/m/.git"});
  CHECK(repository.told([&] {
    fs::remove(repository / "work/sub/m/.git");
    repository.write("work/sub/m/.git/config", "[core]\nfsmonitor = x\n");
  }) == Names{"work/sub/m/.git/config"});
}

TEST_CASE("configuration that names without end is read to an end") {
  std::string config = "[alias]\n";
  for (int i = 0; i < 30'000; ++i) config += "x = !a/" + std::to_string(i) + "\n";
  const Repository repository(config);
  CHECK(repository.told_of("work/.git/hooks/x") == Names{"work/.git/hooks"});
  const Repository chain("[include]\npath = c0\n");
  for (int i = 0; i < 100; ++i) {
    chain.write("work/.git/c" + std::to_string(i),
                "[include]\npath = c" + std::to_string(i + 1) + "\n");
  }
  CHECK(chain.told_of("work/.git/c5") == Names{"work/.git/c5"});
}
