#include "task_run/note_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "temporary_folder.h"

using orch::task_run::write_note_file;
namespace fs = std::filesystem;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a note takes the place of an earlier one, in a folder that git ignores") {
  const TemporaryFolder repo;
  REQUIRE(write_note_file(repo.path(), "a", "one"));
  const auto path = write_note_file(repo.path(), "a", "two");
  REQUIRE(path);
  CHECK(*path == repo.path() + "/.agent-runner/task-a.md");
  CHECK(content_of(*path) == "two");
  CHECK(content_of(repo.path() + "/.agent-runner/.gitignore") == "*\n");
  CHECK(std::distance(fs::directory_iterator(repo.path() + "/.agent-runner"), {}) == 2);
}

TEST_CASE("links are not followed out of the repository") {
  const TemporaryFolder repo, other;
  SECTION("the folder") {
    fs::create_directory_symlink(other.path(), repo.path() + "/.agent-runner");
    CHECK_FALSE(write_note_file(repo.path(), "a", "x"));
  }
  SECTION("the note itself") {
    fs::create_directory(repo.path() + "/.agent-runner");
    fs::create_symlink(other.path() + "/target", repo.path() + "/.agent-runner/task-a.md");
    const auto path = write_note_file(repo.path(), "a", "x");
    REQUIRE(path);
    CHECK(content_of(*path) == "x");
    CHECK_FALSE(fs::is_symlink(*path));
  }
  CHECK(fs::is_empty(other.path()));
}
