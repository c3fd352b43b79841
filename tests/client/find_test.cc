#include "client/find.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "rig.h"
#include "store/run_record.h"

namespace orch::client {
namespace {

using base::ErrorCode;
using Catch::Contains;
using store::session_key;
using store::SessionRecord;

// A state directory, and the locks of the sessions in it.
struct State {
  host::TestFolder folder;
  std::vector<std::unique_ptr<store::SessionFile>> held;

  Place place(const std::string& repository, const std::string& subfolder = "") const {
    return {folder.path(), repository + subfolder, repository};
  }

  void session(const std::string& issue, const std::string& repository, const std::string& run) {
    SessionRecord record;
    record.key = session_key(issue, repository);
    record.name = "orch-" + issue;
    record.issue = issue;
    record.manager = "native";
    record.agent = "demo";
    record.cwd = record.repository = repository;
    record.run = run;
    record.host = pty::own_identity();
    auto file = store::SessionFile::claim(folder.path(), record.key);
    REQUIRE(file.ok());
    REQUIRE((*file)->write(record).ok());
    held.push_back(std::move(file).value());
  }

  // Lets the host of this session die, and with it all other hosts.
  void lose_host(const std::string& issue, const std::string& repository) {
    const std::string record = folder.file("sessions/" + session_key(issue, repository) + ".json");
    std::ostringstream kept;
    kept << std::ifstream(record).rdbuf();
    held.clear();
    std::string text = kept.str();
    const std::string start = "\"pid_start\": ";
    text.insert(text.find(start) + start.size(), "9");
    std::ofstream(record) << text;
  }

  void run(const std::string& id, const std::string& issue, const std::string& repository) const {
    store::RunRecord record;
    record.id = id;
    record.issue = issue;
    record.session = "orch-" + issue;
    record.cwd = record.repository = repository;
    record.manager = "native";
    record.started = "2026-11-21T21:10:48.123Z";
    const std::string path = folder.file("runs/" + id);
    std::filesystem::create_directories(path);
    std::ofstream(path + "/run.json") << store::to_json(record);
  }
};

std::string run_found(const State& state, const std::string& repository, const std::string& word,
                      Reach reach = Reach::kEverywhere) {
  const auto found = find_run(state.place(repository), word, reach);
  return found ? found->run.id : "refused: " + found.error().text;
}

TEST_CASE("An empty word is the newest run only for what looks, and a number may have its sign") {
  const State state;
  state.run("20261121T211048000-41-aaaa", "41", "/a");
  state.run("20261121T211049000-42-bbbb", "42", "/a");
  state.run("20261121T211050000-43-cccc", "43", "/b");
  CHECK(find_shown(state.place("/a"), "")->run.issue == "42");
  CHECK(find_run(state.place("/a"), "", Reach::kHere).error().code == ErrorCode::kNotFound);
  CHECK(find_session(state.place("/a"), "", Reach::kHere).error().code == ErrorCode::kNotFound);
  CHECK(run_found(state, "/a", "#41") == "20261121T211048000-41-aaaa");
  CHECK_THAT(run_found(state, "/a", "#x"), Contains("neither a session nor a run"));
  CHECK_THAT(run_found(state, "/a", "4l"), Contains("did you mean 4"));
}

TEST_CASE("What changes something finds this repository's session, or one that is named in full") {
  State state;
  state.session("42", "/a", "run-a");
  state.session("43", "/b", "run-b");
  CHECK(find_session(state.place("/a"), "42", Reach::kHere)->run == "run-a");
  CHECK(find_session(state.place("/a"), "orch-42", Reach::kHere)->run == "run-a");
  CHECK(find_session(state.place("/a"), "run-a", Reach::kHere)->run == "run-a");
  const auto other = find_session(state.place("/a"), "43", Reach::kHere);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().code == ErrorCode::kUsage);
  CHECK(other.error().text == "orch-43 belongs to /b; name it in full: " + session_key("43", "/b"));
  CHECK(find_session(state.place("/a"), session_key("43", "/b"), Reach::kHere)->run == "run-b");
  CHECK(find_session(state.place("/a"), "44", Reach::kHere).error().code == ErrorCode::kNotFound);
}

TEST_CASE("What only looks finds the only one of another repository, and asks which of several") {
  State state;
  state.session("43", "/b", "run-b");
  CHECK(find_session(state.place("/a"), "43", Reach::kEverywhere)->run == "run-b");
  state.session("43", "/c", "run-c");
  const auto several = find_session(state.place("/a"), "43", Reach::kEverywhere);
  REQUIRE_FALSE(several.ok());
  CHECK(several.error().code == ErrorCode::kUsage);
  CHECK_THAT(several.error().text,
             Contains(session_key("43", "/b")) && Contains(session_key("43", "/c")));
  CHECK(find_session(state.place("/c"), "43", Reach::kEverywhere)->run == "run-c");
}

TEST_CASE("Where no folder is left nothing is this repository's") {
  State state;
  state.session("42", "", "run-a");
  const Place nowhere{state.folder.path(), "", ""};
  CHECK_FALSE(is_here(nowhere, "", ""));
  CHECK(is_here(state.place("/a"), "/a", "/elsewhere"));
  CHECK(is_here(state.place("/a", "/b"), "/elsewhere", "/a/b"));
  CHECK_FALSE(is_here(state.place("/a", "/b"), "/elsewhere", "/a/c"));
}

TEST_CASE("A run is this repository's newest, and that of its session before all") {
  State state;
  const std::string old = "20261121T211048-42-0a1b", newer = "20261122T211048-42-0a1b";
  const std::string other = "20261123T211048-42-0a1b";
  state.run(old, "42", "/a");
  CHECK(run_found(state, "/a", "42") == old);
  CHECK(run_found(state, "/b", "42") == old);
  state.run(newer, "42", "/a");
  state.run(other, "42", "/b");
  CHECK(run_found(state, "/a", "42") == newer);
  CHECK(run_found(state, "/b", "orch-42", Reach::kHere) == other);
  CHECK(run_found(state, "/a", other, Reach::kHere) == other);
  CHECK(run_found(state, "/a", session_key("42", "/b"), Reach::kHere) == other);
  CHECK_THAT(run_found(state, "/c", "42"), Contains(session_key("42", "/a")));
  std::filesystem::create_directories(state.folder.file("runs/20261123T211048-44-0a1b"));
  CHECK_THAT(run_found(state, "/a", "44", Reach::kHere), Contains("neither a session nor a run"));
  CHECK_THAT(run_found(state, "/c", "43"), Contains("43 has neither a session nor a run"));
  CHECK_FALSE(find_run(state.place("/a"), "42", Reach::kEverywhere)->session);
  state.session("42", "/a", old);  // an older run runs: the clock was set back
  const auto running = find_run(state.place("/a"), "42", Reach::kEverywhere);
  REQUIRE(running.ok());
  CHECK(running->run.id == old);
  CHECK(running->run.path == state.folder.file("runs/" + old));
  CHECK(running->session->status == store::SessionStatus::kRunning);
}

TEST_CASE("A session whose host is gone is found, but does not run") {
  State state;
  state.session("42", "/a", "run-a");
  state.lose_host("42", "/a");
  CHECK(find_session(state.place("/a"), "42", Reach::kHere)->status ==
        store::SessionStatus::kErrored);
  CHECK(find_running(state.place("/a"), "42", Reach::kHere).error().code == ErrorCode::kNotFound);
}

TEST_CASE("A session that failed does not hide a newer run of its issue") {
  State state;
  const std::string failed = "20261121T211048123-42-ffff", newer = "20261121T211048124-42-0000";
  state.run(failed, "42", "/a");
  state.session("42", "/a", failed);
  state.run(newer, "42", "/a");
  CHECK(run_found(state, "/a", "42") == failed);  // it still runs
  state.lose_host("42", "/a");
  CHECK(run_found(state, "/a", "42") == newer);
  CHECK(run_found(state, "/a", session_key("42", "/a"), Reach::kHere) == newer);
  CHECK(run_found(state, "/a", failed) == failed);
}

TEST_CASE("The newest run here is this repository's, of any issue, and one that fits") {
  State state;
  const std::string first = "20261121T211048-42-ffff", second = "20261121T211048001-7-0000";
  state.run(first, "42", "/a");
  state.run(second, "7", "/a");
  state.run("20261121T211048002-7-0000", "7", "/b");
  const auto any = [](const store::RunFolder&) { return base::Ok{}; };
  CHECK(newest_run_here(state.place("/a"), any)->id == second);
  const auto of_42 = [](const store::RunFolder& run) {
    return run.issue == "42" ? store::Presence(base::Ok{}) : store::Presence::absent();
  };
  CHECK(newest_run_here(state.place("/a"), of_42)->id == first);
  CHECK(newest_run_here(state.place("/c"), any).error().code == ErrorCode::kNotFound);
}

TEST_CASE("Where a record that cannot be read may be of the newest run nobody knows which is") {
  State state;
  const std::string old = "20261121T211048001-42-0000", torn = "20261121T211048002-42-0000";
  const std::string newer = "20261121T211048003-42-0000", any_word = session_key("42", "/a");
  const auto any = [](const store::RunFolder&) { return base::Ok{}; };
  state.run(old, "42", "/a");
  state.run(torn, "42", "/b");
  const std::string record = state.folder.file("runs/" + torn + "/run.json");

  SECTION("it is torn: it may have run anywhere") {
    std::ofstream(record) << "{\"id\": ";
    for (const std::string& word : {std::string("42"), std::string("orch-42"), any_word}) {
      for (const char* repository : {"/a", "/b", "/c"}) {
        const auto found = find_run(state.place(repository), word, Reach::kEverywhere);
        REQUIRE_FALSE(found.ok());
        CHECK(found.error().code == ErrorCode::kUsage);
        CHECK(found.error().text ==
              "which run of " + word + " is the newest is not known: of run " + torn +
                  " run.json cannot be read: run record: not valid JSON; name the run that you "
                  "mean by its id, see orch runs");
      }
    }
    CHECK(newest_run_here(state.place("/a"), any).error().code == ErrorCode::kUsage);
    CHECK(run_found(state, "/a", old) == old);
    CHECK(run_found(state, "/a", torn) == torn);
    state.run(newer, "42", "/a");
    CHECK(run_found(state, "/a", "42") == newer);
    CHECK(newest_run_here(state.place("/a"), any)->id == newer);
    CHECK_THAT(run_found(state, "/b", "42"), Contains("is not known"));
    state.session("42", "/b", torn);  // now it runs
    CHECK(run_found(state, "/b", "42") == torn);
  }
  SECTION("it says where it ran: there alone it is the newest") {
    std::ofstream(record) << R"({"repository": "/b", "cwd": "/b", "status": "paused"})";
    CHECK(run_found(state, "/a", "42") == old);
    CHECK(newest_run_here(state.place("/a"), any)->id == old);
    CHECK_THAT(run_found(state, "/b", "42"), Contains(torn));
    CHECK(newest_run_here(state.place("/b"), any).error().code == ErrorCode::kUsage);
  }
  SECTION("of another issue it matters only where any issue is meant") {
    std::ofstream(record) << "";
    state.run("20261121T211048000-7-0000", "7", "/a");
    CHECK(run_found(state, "/a", "7") == "20261121T211048000-7-0000");
    CHECK(newest_run_here(state.place("/a"), any).error().code == ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace orch::client
