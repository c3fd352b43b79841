#include "task_run/task_folder.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

using namespace orch::task_run;
namespace task = orch::task;
namespace fs = std::filesystem;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777U;
}

const TaskTexts kTexts{"spec", "prd\x1b", "", ""};

}  // namespace

TEST_CASE("one orch at a time has a task, and its folder is its user's alone") {
  const TemporaryFolder state;
  std::string moved;
  auto folder = TaskFolder::create(state.path(), "t", kTexts, moved);
  REQUIRE(folder);
  CHECK(moved.empty());
  CHECK(mode_of((*folder)->path()) == 0700);
  CHECK(mode_of((*folder)->path() + "/prd.md") == 0600);
  const auto second = TaskFolder::open(state.path(), "t");
  REQUIRE_FALSE(second);
  CHECK(second.error().text.starts_with("task t runs already"));
  folder->reset();
  const auto again = TaskFolder::open(state.path(), "t");
  REQUIRE(again);
  CHECK((*again)->texts()->prd == "prd\x1b");
  CHECK_FALSE(TaskFolder::open(state.path(), "other"));
}

TEST_CASE("a task that is begun again keeps the earlier folder") {
  const TemporaryFolder state;
  std::string moved;
  { REQUIRE(TaskFolder::create(state.path(), "t", kTexts, moved)); }
  REQUIRE(TaskFolder::create(state.path(), "t", kTexts, moved));
  CHECK(fs::exists(moved + "/task.yaml"));
}

TEST_CASE("a task's own time is kept between the lines of its journal") {
  const TemporaryFolder state;
  std::string moved;
  auto folder = TaskFolder::create(state.path(), "t", kTexts, moved);
  CHECK((*folder)->read_clock() == 0);
  (*folder)->write_clock(6'000);
  (*folder)->write_clock(7'000);
  CHECK((*folder)->read_clock() == 7'000);
  std::ofstream((*folder)->path() + "/clock") << "soon";
  CHECK((*folder)->read_clock() == 0);
}

TEST_CASE("after a torn line the journal goes on with the next one") {
  const TemporaryFolder state;
  std::string moved;
  auto folder = TaskFolder::create(state.path(), "t", kTexts, moved);
  REQUIRE((*folder)->append({0, "now", task::Opened{"t", "/repo"}}));
  { std::ofstream((*folder)->path() + "/journal.jsonl", std::ios::app) << R"({"v":1,"ms")"; }
  REQUIRE((*folder)->read_journal()->size() == 1);
  REQUIRE((*folder)->append({5, "now", task::Event(task::CancelAsked{})}));
  const auto entries = (*folder)->read_journal();
  REQUIRE(entries);
  CHECK(entries->size() == 2);
  CHECK(entries->back().ms == 5);
}
