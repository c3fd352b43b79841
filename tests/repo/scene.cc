#include "scene.h"

#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "skipped.h"

namespace fs = std::filesystem;

namespace {

struct Ended {
  std::string out;
  int code = -1;
};

Ended run_shell(const std::string& home, const std::string& folder, const std::string& script) {
  const std::string file = home + "/script";
  std::ofstream(file) << "cd '" << folder << "' || exit 99\n" << script << "\n";
  const std::string command =
      "exec env -i PATH=\"$PATH\" HOME='" + home +
      "' LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
      "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_EDITOR=true GIT_OPTIONAL_LOCKS=0 sh -e '" +
      file + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  Ended ended;
  if (pipe == nullptr) return ended;
  std::array<char, 4096> chunk{};
  while (const size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    ended.out.append(chunk.data(), got);
  }
  ended.code = ::pclose(pipe);
  return ended;
}

}  // namespace

Scene::Scene() : path_((fs::temp_directory_path() / "orch-repo-XXXXXX").string()) {
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
  path_ = fs::canonical(path_).string();
  fs::create_directory(work());
  fs::create_directory(file("home"));
}

Scene::~Scene() {
  (void)run_shell(file("home"), path_, "chmod -R u+rwx .");
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scene::sh(const std::string& script, const std::string& folder) const {
  const Ended ended = run_shell(file("home"), folder.empty() ? work() : folder, script);
  INFO(script << "\n" << ended.out);
  REQUIRE(ended.code == 0);
  return ended.out;
}

void Scene::try_sh(const std::string& script) const {
  (void)run_shell(file("home"), work(), script);
}

orch::repo::SnapshotReport Scene::snapshot(const std::string& of) const {
  orch::repo::SnapshotPlan plan;
  plan.work_dir = of.empty() ? work() : of;
  plan.folder = snapshot_folder();
  const auto report = orch::repo::take_snapshot(plan);
  INFO((report ? "" : report.error().text));
  REQUIRE(report);
  return *report;
}

void Scene::end_run(int64_t settled_ns) const {
  orch::repo::SnapshotPlan plan;
  plan.work_dir = work();
  plan.folder = end_folder();
  plan.previous = snapshot_folder();
  plan.settled_ns = settled_ns;
  plan.objects = orch::repo::SnapshotPlan::Objects::kLeftOut;
  REQUIRE(orch::repo::take_snapshot(plan));
}

orch::repo::UndoReport Scene::undo(const orch::repo::UndoScope& scope) const {
  orch::repo::UndoOrder order{snapshot_folder(), scope, ""};
  if (fs::exists(end_folder())) order.ended = end_folder();
  const auto report = orch::repo::undo(order);
  INFO((report ? "" : report.error().text));
  REQUIRE(report);
  INFO((report->failures.empty() ? "" : report->failures.front()));
  REQUIRE(report->failures.empty());
  return *report;
}

bool has_git() {
  static const bool found = std::system("git --version >/dev/null 2>&1") == 0;
  if (!found) orch::say_skipped("there is no git here");
  return found;
}

namespace {

void make_original(const Scene& scene) {
  scene.sh(R"sh(
    git init -q -b main
    mkdir -p src/deep/er 'with space' empty/inner build
    echo one > src/a.cc; echo two > src/deep/er/b.cc; echo three > readme
    echo x > "$(printf 'a\nb')"; echo y > "$(printf 'bad\377name')"; echo z > 'with space/-rf'
    printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh
    ln -s src/a.cc link; ln -s /nowhere/at/all dangling; ln -s /etc/passwd outside
    printf 'build/\n.env\n' > .gitignore
    git add .; git commit -qm first; git tag v1; git gc -q
    git branch side; git branch packed; git pack-refs --all; git branch loose
    echo four >> readme; git commit -qam second
    git checkout -q side; echo other >> readme; git commit -qam 'on the side'; git checkout -q main
    echo stashed >> src/a.cc; git stash -q
    echo staged > staged; git add staged; echo more >> staged
    echo modified >> src/deep/er/b.cc; git rm -q --cached run.sh
    echo untracked > untracked; echo SECRET=1 > .env; chmod 600 .env
    head -c 300000 /dev/zero > build/out.bin; echo o > build/a.o
    chmod 700 empty; chmod 640 readme; mkfifo pipe
    printf '#!/bin/sh\n' > .git/hooks/pre-push; chmod 755 .git/hooks/pre-push
    git config remote.origin.url https://nowhere.invalid/x
  )sh");
}

}  // namespace

// Making a repository takes some seventy programs, so it is made once and then copied.
void make_repository(const Scene& scene) {
  static const Scene original;
  static const bool made = (make_original(original), true);
  REQUIRE(made);
  scene.sh("cp -a '" + original.work() + "/.' .");
}

std::map<std::string, std::string> picture(const std::string& folder) {
  std::map<std::string, std::string> seen;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options);
       at != fs::recursive_directory_iterator(); ++at) {
    if (at.depth() == 0 && at->path().filename() == ".git") {
      at.disable_recursion_pending();
      continue;
    }
    struct stat info {};
    REQUIRE(::lstat(at->path().c_str(), &info) == 0);
    std::string text = std::to_string(info.st_mode) + " " + std::to_string(info.st_uid) + " ";
    if (S_ISLNK(info.st_mode)) text += fs::read_symlink(at->path()).string();
    if (S_ISREG(info.st_mode)) {
      std::ifstream in(at->path(), std::ios::binary);
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    seen[at->path().string().substr(folder.size() + 1)] = text;
  }
  return seen;
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

std::string git_picture(const Scene& scene, const std::string& folder) {
  return scene.sh(R"sh(
    git status --porcelain=v2 --branch --ignored -z
    git for-each-ref; git stash list; git ls-files -s -v -z
    git reflog show HEAD 2>&1 || true
    IFS=$(printf '\nx'); IFS=${IFS%x}; set -- $(git rev-parse --git-path config --git-path hooks)
    cat "$1"; ls -l "$2" | cut -c1-10
    git worktree list
    git fsck --no-dangling --no-progress 2>&1
  )sh",
                  folder);
}
