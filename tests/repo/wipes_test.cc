// Every way to destroy one's own work directory, undone.
#include <catch2/catch.hpp>

#include "scene.h"

namespace {

const char* const kWipes[] = {
    "rm -rf *",
    "rm -rf .git",
    "rm -rf ./* ./.[!.]*",
    "find . -mindepth 1 -delete",
    "git reset -q --hard",
    "git reset -q --hard v1",
    "git clean -fdxq",
    "git reset -q --hard && git clean -fdxq",
    "git checkout -q .",
    "git checkout -qf side",
    "git restore --staged --worktree :/",
    "git stash -qu",
    "git stash drop -q",
    "git stash pop -q || true; git add -A; git commit -qm all",
    "git rm -rqf .",
    "git add -A && git commit -qm everything",
    "git commit -q --amend -m other",
    "git branch -D side packed loose",
    "git branch -f side main",
    "git update-ref -d refs/heads/main",
    "git tag -d v1",
    "git reflog expire --expire=now --all; git stash clear; git branch -D side; git gc -q "
    "--prune=now",
    "git checkout -q --orphan empty; git rm -rqf .; git branch -D main",
    "git add -A; git commit -qm x; git rebase -q side || true",
    "git add -A; git commit -qm x; git merge -q side || true",
    "git add -A; git commit -qm x; git cherry-pick side || true",
    "git add -A; git commit -qm x; git bisect start; git bisect bad",
    "git update-index --assume-unchanged src/a.cc; git update-index --skip-worktree readme",
    "git remote remove origin; git config core.bare true",
    "git sparse-checkout set src || true",
    "git replace HEAD HEAD~1",
    "find . -type f -exec truncate -s 0 {} +",
    "find . -type f -exec sh -c 'for f; do : > \"$f\"; done' sh {} +",
    "find . -type f -exec shred -n 1 -u {} +",
    "find . -type f -exec chmod u+w {} + -exec dd if=/dev/zero of={} bs=512 count=1 status=none "
    "\\;",
    "chmod -R 000 .",
    "chmod -R 777 .",
    "chmod -R a-w .git",
    "chmod 000 .",
    "chmod 000 src/deep .git/refs .git; rm -f readme",
    "git branch -D side; git branch side/below",
    "mv src ../gone",
    "mv .git ../gone.git",
    "mv src renamed; mv renamed build/",
    "rm -rf src; echo file > src",
    "rm readme; mkdir readme; echo in > readme/it",
    "rm link; echo file > link",
    "ln -sf elsewhere link",
    "rm -f pipe; rmdir empty/inner; chmod 755 empty",
    "sed -i s/two/2/ src/deep/er/b.cc",
    "cp /dev/null .env; rm -rf build",
    "tar cf x.tar readme && tar xf x.tar && rm x.tar; git gc -q --aggressive",
    "rm .git/index",
    "echo garbage > .git/HEAD; echo garbage > .git/index; rm -rf .git/refs",
    "rm -rf .git/objects .git/logs",
    "find .git/objects -type f -exec chmod 666 {} + -exec cp readme {} \\;",
    "rm -rf .git; git init -q -b main; git add -A; git commit -qm new",
    "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock",
    "rm .git/hooks/*; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod 755 "
    ".git/hooks/pre-commit",
};

}  // namespace

TEST_CASE("what a wipe destroyed is as it was: work tree, modes, links, index, refs, stash") {
  if (!has_git()) return;
  const char* wipe = GENERATE(from_range(std::begin(kWipes), std::end(kWipes)));
  INFO(wipe);
  const Scene scene;
  make_repository(scene);
  const std::string git = git_picture(scene);
  const auto tree = picture(scene.work());
  scene.snapshot();
  scene.try_sh(wipe);
  const auto wiped = picture(scene.work());
  scene.undo();
  auto after = picture(scene.work());
  // Files that the wipe made are listed and stay; they must not hide what is missing.
  for (auto made = after.begin(); made != after.end();) {
    const bool stays = !tree.contains(made->first) && wiped.contains(made->first);
    made = stays ? after.erase(made) : std::next(made);
  }
  CHECK(after == tree);
  CHECK(git_picture(scene) == git);
  // A second undo finds nothing to do.
  CHECK(scene.undo().done.empty());
}
