#include "repo/git_index.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "scene.h"

using orch::repo::paths_in_index;
using orch::repo::submodules_in_index;

namespace {

std::string index_of(const Scene& scene) {
  std::ifstream in(scene.work() + "/.git/index", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the paths of an index are those that git lists") {
  if (!has_git()) return;
  const Scene scene;
  const std::string format = GENERATE("sha1", "sha256");
  const std::string version = GENERATE("2", "3", "4");
  scene.sh("git init -q --object-format=" + format +
           "; mkdir -p a/b c; touch a/b/one a/b/one.more a/two c/three zz; touch " +
           std::string(150, 'n') + "; git add .; git update-index --index-version " + version +
           "; git update-index --skip-worktree a/two");
  const auto paths = paths_in_index(index_of(scene));
  REQUIRE(paths);
  std::string listed;
  for (const std::string& path : *paths) listed += path + "\n";
  CHECK(listed == scene.sh("git ls-files"));
}

TEST_CASE("the submodules of an index are told apart from its files") {
  if (!has_git()) return;
  const Scene scene;
  const std::string version = GENERATE("2", "3", "4");
  scene.sh(
      "git init -q . && touch a zz && git add . && for name in deep/sub m; do git update-index "
      "--add --cacheinfo 160000,$(git hash-object a),$name; done && git update-index "
      "--index-version " +
      version);
  CHECK(submodules_in_index(index_of(scene)) == std::vector<std::string>{"deep/sub", "m"});
  CHECK(paths_in_index(index_of(scene)) == std::vector<std::string>{"a", "deep/sub", "m", "zz"});
  CHECK_FALSE(submodules_in_index("DIRC"));
}

TEST_CASE("bytes that are no index are none, and a torn one is read to no harm") {
  CHECK_FALSE(paths_in_index(""));
  CHECK_FALSE(paths_in_index("DIRC"));
  CHECK_FALSE(paths_in_index(std::string("DIRC\0\0\0\2\xff\xff\xff\xff", 12)));
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  scene.sh("git update-index --index-version 4");
  const std::string whole = index_of(scene);
  for (size_t length = 0; length < whole.size(); ++length) {
    (void)paths_in_index(whole.substr(0, length));
    std::string changed = whole;
    changed[length] = static_cast<char>(changed[length] ^ 0x81);
    (void)paths_in_index(changed);
  }
}
