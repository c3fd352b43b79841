#include "store/run_dir.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "scratch.h"
#include "store/runs.h"

using namespace orch::store;
using namespace std::chrono_literals;

namespace {

const TimePoint kStart{std::chrono::seconds(1795295448)};  // 2026-11-21T21:10:48Z

StatePlaces all_places() { return {"/argument", "/variable", "/xdg", "/home/me"}; }

}  // namespace

TEST_CASE("the state directory is the first that is named") {
  StatePlaces places = all_places();
  CHECK(*state_dir(places) == "/argument");
  places.argument.reset();
  CHECK(*state_dir(places) == "/variable");
  places.orch_state_dir.clear();
  CHECK(*state_dir(places) == "/xdg/orch");
  places.xdg_state_home.clear();
  CHECK(*state_dir(places) == "/home/me/.local/state/orch");
}

TEST_CASE("a relative state directory is taken from the working directory, XDG's is ignored") {
  const std::string here = std::filesystem::current_path().string();
  CHECK(*state_dir({"state", "", "", ""}) == here + "/state");
  CHECK(*state_dir({std::nullopt, "state", "", ""}) == here + "/state");
  CHECK(*state_dir({std::nullopt, "", "relative", "/home/me"}) == "/home/me/.local/state/orch");
}

TEST_CASE("no state directory at all is a usage error with the remedy") {
  const auto none = state_dir({std::nullopt, "", "", ""});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == orch::base::ErrorCode::kUsage);
  CHECK(none.error().text.find("--state-dir") != std::string::npos);
  CHECK_FALSE(state_dir({"", "/variable", "/xdg", "/home/me"}));
}

TEST_CASE("a run's id is its start, its issue and four hex digits") {
  const TimePoint start = kStart + 7ms;
  CHECK(make_run_id(start, "42", 0x0a1b) == "20261121T211048007-42-0a1b");
  CHECK(make_run_id(start, "fix-login", 0) == "20261121T211048007-fix-login-0000");
}

TEST_CASE("random suffixes differ") {
  std::set<uint16_t> suffixes;
  for (int i = 0; i < 50; ++i) suffixes.insert(random_suffix());
  CHECK(suffixes.size() > 40);
}

TEST_CASE("a run directory is made with all above it, for its owner only") {
  const ScratchFolder folder;
  const std::string state = folder.file("a/b");
  const auto run = RunDir::create(state, kStart, "42", 0x0a1b);
  REQUIRE(run);
  CHECK(run->id() == "20261121T211048000-42-0a1b");
  CHECK(run->path() == state + "/runs/20261121T211048000-42-0a1b");
  for (const std::string& made : {folder.file("a"), state, state + "/runs", run->path()}) {
    INFO(made);
    CHECK(mode_of(made) == 0700);
  }
  CHECK(run->record_file() == run->path() + "/run.json");
  CHECK(run->prompt_file() == run->path() + "/prompt.md");
  CHECK(run->recording_file() == run->path() + "/output.cast");
  CHECK(run->events_file() == run->path() + "/events.jsonl");
  CHECK(run->transcript_file() == run->path() + "/transcript.txt");
  CHECK(run->result_file() == run->path() + "/result.json");
}

TEST_CASE("a state directory that exists keeps its mode") {
  const ScratchFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(RunDir::create(folder.path() + "/", kStart, "1"));
  CHECK(mode_of(folder.path()) == 0755);
  CHECK(mode_of(folder.file("runs")) == 0700);
}

TEST_CASE("a run that begins later has the greater id, whatever the clock and the suffix say") {
  const ScratchFolder folder;
  const auto id_at = [&folder](TimePoint clock, uint16_t suffix, const char* issue = "1") {
    return RunDir::create(folder.path(), clock, issue, suffix)->id();
  };
  CHECK(id_at(kStart, 0xffff) == "20261121T211048000-1-ffff");
  CHECK(id_at(kStart, 0x0000) == "20261121T211048001-1-0000");
  CHECK(id_at(kStart + 999us, 0, "2") == "20261121T211048002-2-0000");
  CHECK(id_at(kStart - 1h, 0) == "20261121T211048003-1-0000");
  CHECK(id_at(kStart + 4ms, 0) == "20261121T211048004-1-0000");
  CHECK(id_at(kStart + 1min, 0) == "20261121T211148000-1-0000");
}

TEST_CASE("an id of an earlier orch, with seconds, is read and is older than all that come") {
  const ScratchFolder folder;
  const std::string old = "20261121T211048-fix-1-ffff";
  std::filesystem::create_directories(folder.file("runs/" + old));
  for (const char* other : {"runs/notes", "runs/20261121-1-0000", "runs/2026112xT211048-1-0000",
                            "runs/20261121T211048-1", "runs/20261121T21104800-1-0000"}) {
    std::filesystem::create_directories(folder.file(other));
  }
  const std::string same_second = RunDir::create(folder.path(), kStart, "fix-1", 0)->id();
  CHECK(same_second == "20261121T211048001-fix-1-0000");
  const std::vector<RunFolder> runs = run_folders(folder.path()).value();
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == old);
  CHECK(runs[0].issue == "fix-1");
  CHECK(runs[1].id == same_second);
  CHECK(runs[1].issue == "fix-1");
}

TEST_CASE("a bad issue name creates nothing") {
  const ScratchFolder folder;
  CHECK_FALSE(RunDir::create(folder.file("state"), kStart, "../x"));
  CHECK(folder.entries().empty());
}

TEST_CASE("an unwritable state directory is an error with the path, and nothing is created") {
  const ScratchFolder folder;
  REQUIRE(::mkdir(folder.file("state").c_str(), 0755) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  {
    const ReadOnlyFolder locked(folder.file("state"));
    const auto run = RunDir::create(folder.file("state"), kStart, "1");
    REQUIRE_FALSE(run);
    CHECK(run.error().code == orch::base::ErrorCode::kSystem);
    CHECK(run.error().text == "create folder " + folder.file("state/runs") + ": Permission denied");
  }
  CHECK(std::filesystem::is_empty(folder.file("state")));
}

TEST_CASE("folders made before a failure are removed again") {
  const ScratchFolder folder;
  // The last name is too long, so this fails after the parents were created.
  const auto run = RunDir::create(folder.file("a/b/" + std::string(300, 'c')), kStart, "1");
  REQUIRE_FALSE(run);
  CHECK(run.error().text.find("File name too long") != std::string::npos);
  CHECK(folder.entries().empty());
}

TEST_CASE("a file in the way of the state directory is an error") {
  const ScratchFolder folder;
  put_content(folder.file("state"), "");
  const auto run = RunDir::create(folder.file("state"), kStart, "1");
  REQUIRE_FALSE(run);
  CHECK(run.error().text == "create folder " + folder.file("state") + ": File exists");
}

TEST_CASE("discard removes what create made and the run's files") {
  const ScratchFolder folder;
  const auto run = RunDir::create(folder.file("a/state"), kStart, "1");
  REQUIRE(run);
  put_content(run->record_file(), "{}");
  put_content(run->prompt_file(), "do it");
  run->discard();
  CHECK(folder.entries().empty());
}

TEST_CASE("discard leaves folders that others use by now") {
  const ScratchFolder folder;
  const auto first = RunDir::create(folder.file("state"), kStart, "1");
  const auto second = RunDir::create(folder.file("state"), kStart, "2");
  REQUIRE(first);
  REQUIRE(second);
  first->discard();
  CHECK_FALSE(exists(first->path()));
  CHECK(exists(second->path()));
}

TEST_CASE("a state directory that was open to others is closed, with what orch keeps in it") {
  const ScratchFolder folder;
  for (const char* name : {"state", "state/runs", "state/sessions"}) {
    std::filesystem::create_directory(folder.file(name));
    REQUIRE(::chmod(folder.file(name).c_str(), 0777) == 0);
  }
  const auto closed = orch::store::close_state_dir(folder.file("state"));
  REQUIRE(closed);
  CHECK(closed->size() == 3);
  for (const char* name : {"state", "state/runs", "state/sessions"}) {
    CHECK(mode_of(folder.file(name)) == 0700);
  }
  CHECK(orch::store::close_state_dir(folder.file("state"))->empty());
  CHECK(orch::store::close_state_dir(folder.file("missing"))->empty());
}

TEST_CASE("a folder that holds other things too is not closed to others, only what is orch's") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.file("other"));
  std::filesystem::create_directory(folder.file("runs"));
  REQUIRE(::chmod(folder.file("runs").c_str(), 0755) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  CHECK(orch::store::close_state_dir(folder.path())->size() == 1);
  CHECK(mode_of(folder.path()) == 0755);
  CHECK(mode_of(folder.file("runs")) == 0700);
  REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
  CHECK_FALSE(orch::store::close_state_dir(folder.path()));
  CHECK((mode_of(folder.path()) & 0777) == 0777);
}

TEST_CASE("what cannot be listed is told, and not taken for empty") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.file("state/sessions"));
  put_content(folder.file("state/runs"), "");
  const auto closed = orch::store::close_state_dir(folder.file("state"));
  REQUIRE_FALSE(closed);
  CHECK(closed.error().text.find("list " + folder.file("state/runs") + ": ") == 0);
}

TEST_CASE("runs that begin in one moment in several processes have an order, not a chance") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  constexpr int kProcesses = 8, kRuns = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    bool all = true;
    for (int run = 0; run < kRuns; ++run) all = RunDir::create(state, kStart, "7").ok() && all;
    ::_exit(all ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  std::set<TimePoint> times;
  const auto found = run_folders(state);
  for (const RunFolder& run : *found) times.insert(time_in_name(run));
  CHECK(times.size() == kProcesses * kRuns);
}
