#include "session/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent_fixture.h"
#include "base/fd.h"
#include "base/text.h"
#include "live_run.h"
#include "pty/containment.h"
#include "store/cast_reader.h"
#include "store/runs.h"

namespace orch::session {
namespace {

using event::ExitReason;

std::vector<std::string> shell(std::string script) { return {"sh", "-c", std::move(script)}; }

TEST_CASE("a run leaves a recording, events, a transcript, a record and a result that agree") {
  const StateDir state;
  LiveRun live(state.path());
  REQUIRE(live.start(shell("printf 'hello\\r\\ngr\\303\\274n\\r\\n'; exit 3")).ok());
  live.run();
  const Session& session = live.session();
  const store::RunDir& dir = session.run_dir();
  CHECK(session.result().reason == ExitReason::kAgentFailed);
  CHECK(session.result().code == 1);
  CHECK(session.result().agent_exit_code == 3);

  const auto result = store::run_result_from_json(content_of(dir.result_file()));
  REQUIRE(result.ok());
  CHECK(*result == session.result());
  const auto record = store::run_record_from_json(content_of(dir.record_file()));
  REQUIRE(record.ok());
  CHECK(record->status == store::RunStatus::kFailed);
  CHECK(record->argv.at(0) == "sh");
  CHECK(record->ended.has_value());

  const auto cast = store::read_cast(dir.recording_file());
  REQUIRE(cast.ok());
  std::string output;
  for (const store::CastEvent& event : cast->events) {
    if (event.kind == store::CastKind::kOutput) output += event.data;
  }
  CHECK(output == live.raw());
  CHECK(cast->header.agent == "command");
  CHECK(content_of(dir.transcript_file()) == "hello\ngrün\n");
  CHECK(content_of(dir.prompt_file()).empty());

  const std::string log = content_of(dir.events_file());
  const std::vector<std::string_view> lines = base::split_lines(log);
  REQUIRE(lines.size() == live.events().size());
  const auto head = nlohmann::json::parse(lines.front());
  CHECK(head.at("v") == 2);
  CHECK(head.at("run") == dir.id());
  CHECK(head.at("session") == "orch-t1");
  CHECK(head.at("started") == record->started);
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto json = nlohmann::json::parse(lines[i]);
    for (const char* said : {"v", "time", "run", "session"}) CHECK_FALSE(json.contains(said));
  }
  const auto last = nlohmann::json::parse(lines.back());
  CHECK(last.at("event") == "exit");
  CHECK(last.at("code") == 1);
  CHECK(last.at("reason") == "agent_failed");
}

TEST_CASE("the recording of an agent that counts the code points of an emoji says so first") {
  const StateDir state;
  adapters::Manifest manifest = *agent_named("command").manifest;
  manifest.emoji_sequences = false;
  LiveRun live(state.path());
  live.manifest = &manifest;
  REQUIRE(live.start(shell("echo hello")).ok());
  live.run();
  const auto cast = store::read_cast(live.session().run_dir().recording_file());
  REQUIRE(cast.ok());
  REQUIRE(!cast->events.empty());
  CHECK(cast->events.front().data.starts_with("\033[?2027l"));
  CHECK(live.raw() == "hello\r\n");
}

TEST_CASE("each line of the log holds the words that were told, whatever they are") {
  const StateDir state;
  LiveRun live(state.path());
  REQUIRE(live.start(shell("printf '%s\\n' '\"quoted\" \\\\ gr\303\274n' '{}' 'z\314\210'")).ok());
  live.run();
  std::vector<std::string> told;
  for (const event::Event& event : live.events()) {
    if (const auto* output = std::get_if<event::Output>(&event)) told.push_back(output->text);
  }
  std::vector<std::string> logged;
  const std::string log = content_of(live.session().run_dir().events_file());
  for (const std::string_view line : base::split_lines(log)) {
    const auto json = nlohmann::json::parse(line);
    if (json.at("event") != "output") continue;
    logged.push_back(json.at("text"));
    // The words, and only little that all lines share.
    CHECK(line.size() < json.at("text").dump().size() + 70);
  }
  REQUIRE(told.size() == 3);
  CHECK(logged == told);
}

TEST_CASE("a flood is told as it comes, and what is kept of it ends at the record's limit") {
  const StateDir state;
  LiveRun live(state.path());
  live.record.limit_bytes = 100'000;
  REQUIRE(live.start(shell("seq 1 50000")).ok());
  live.run();
  size_t lines = 0;
  for (const event::Event& event : live.events()) {
    if (const auto* output = std::get_if<event::Output>(&event)) {
      REQUIRE(output->text == std::to_string(++lines));
    }
  }
  CHECK(lines == 50'000);
  const store::RunDir& dir = live.session().run_dir();
  const std::string log = content_of(dir.events_file());
  CHECK(log.size() > 99'000);
  CHECK(log.size() < 101'000);
  CHECK(nlohmann::json::parse(base::split_lines(log).back()).at("event") == "exit");
  const std::string transcript = content_of(dir.transcript_file());
  CHECK(transcript.size() >= 100'000);
  CHECK(transcript.size() < 100'010);
}

TEST_CASE("an agent's own end gives the run's code") {
  struct Row {
    const char* script;
    ExitReason reason;
    int code;
  };
  const Row row =
      GENERATE(Row{"exit 0", ExitReason::kExit, 0}, Row{"exit 7", ExitReason::kAgentFailed, 1},
               Row{"kill -9 $$", ExitReason::kAgentSignal, 137},
               Row{"kill -15 $$", ExitReason::kAgentSignal, 143});
  const StateDir state;
  LiveRun live(state.path());
  REQUIRE(live.start(shell(row.script)).ok());
  live.run();
  CHECK(live.session().result().reason == row.reason);
  CHECK(live.session().result().code == row.code);
  REQUIRE(std::holds_alternative<event::Exit>(live.events().back()));
  CHECK(std::get<event::Exit>(live.events().back()) == event::Exit{row.code, row.reason});
}

TEST_CASE("a line that the terminal wraps is one line of the transcript") {
  const StateDir state;
  LiveRun live(state.path());
  const std::string script =
      "i=0; while [ $i -lt 50 ]; do printf 'word%d ' $i; i=$((i+1)); done; echo; echo end";
  REQUIRE(live.start(shell(script)).ok());
  live.run();
  std::string expected;
  for (int i = 0; i < 50; ++i) expected += "word" + std::to_string(i) + " ";
  const std::string transcript = content_of(live.session().run_dir().transcript_file());
  const auto lines = base::split_lines(transcript);
  REQUIRE(lines.size() == 2);
  CHECK(base::trim(lines[0]) == base::trim(expected));
  CHECK(lines[1] == "end");
}

TEST_CASE("a long output is told line by line, each once and in order") {
  const StateDir state;
  LiveRun live(state.path());
  REQUIRE(live.start(shell("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done")).ok());
  live.run();
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += "line " + std::to_string(i) + "\n";
  CHECK(content_of(live.session().run_dir().transcript_file()) == expected);
}

TEST_CASE("the timeout leaves nothing of the agent, not even what left its session") {
  const StateDir state;
  LiveRun live(state.path());
  live.plan.timeout_ms = 400;
  REQUIRE(live.start(shell("setsid sleep 1000 & sleep 1000")).ok());
  const std::string run = live.session().run_dir().id();
  live.run();
  CHECK(live.session().result().reason == ExitReason::kTimeout);
  CHECK(live.session().result().code == 124);
  // What was killed takes a busy machine a moment to end.
  for (int look = 0; look < 1'000 && pty::Containment(run).count() > 0; ++look) ::usleep(10'000);
  CHECK(pty::Containment(run).count() == 0);
}

TEST_CASE("the user's Ctrl-C ends the agent as interrupted") {
  const StateDir state;
  LiveRun live(state.path());
  live.signal_after("ready", SIGINT);
  REQUIRE(live.start(shell("echo ready; sleep 1000")).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kInterrupted);
  CHECK(live.session().result().code == 130);
  const auto record =
      store::run_record_from_json(content_of(live.session().run_dir().record_file()));
  REQUIRE(record.ok());
  CHECK(record->status == store::RunStatus::kCancelled);
}

TEST_CASE("an agent that cannot be started leaves a run that says why") {
  const StateDir state;
  LiveRun live(state.path());
  const base::Status missing = live.start({"/nonexistent/agent"});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == base::ErrorCode::kNotFound);
  const base::Status folder = live.start({"/"});
  REQUIRE_FALSE(folder.ok());
  CHECK(folder.error().code == base::ErrorCode::kNotExecutable);
  const auto runs = store::run_folders(state.path()).value();
  REQUIRE(runs.size() == 2);  // sorted by name; both may be of the same second
  for (const store::RunFolder& run : runs) {
    const auto record = store::record_of(run);
    REQUIRE(record.is_present());
    CHECK(record->status == store::RunStatus::kFailed);
    REQUIRE(record->verdict);
    CHECK(record->verdict->code >= 126);
  }
  REQUIRE(live.events().size() == 4);  // a start and an end of each
  CHECK(std::holds_alternative<event::SessionStart>(live.events()[2]));
  const auto* exit = std::get_if<event::Exit>(&live.events()[3]);
  REQUIRE(exit != nullptr);
  CHECK(exit->reason == event::ExitReason::kNotExecutable);
}

TEST_CASE("a state directory that cannot be written leaves nothing half-written") {
  const StateDir state;
  const std::string file = state.parent() + "/file";
  std::ofstream(file) << "not a folder";
  LiveRun live(file + "/state");
  const base::Status started = live.start({"true"});
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().code == base::ErrorCode::kSystem);
  CHECK(started.error().text.find(file) != std::string::npos);
  CHECK(content_of(file) == "not a folder");
  CHECK(live.events().empty());
}

TEST_CASE("an agent runs in its folder, on its terminal, with the run's mark") {
  const StateDir state;
  LiveRun live(state.path());
  REQUIRE(live.start(shell("pwd; stty size; echo $TERM; echo $ORCH_RUN")).ok());
  live.run();
  CHECK(content_of(live.session().run_dir().transcript_file()) ==
        "/\n24 80\nxterm-256color\n" + live.session().run_dir().id() + "\n");
}

// Makes all writes fail to the file that this process has open under that name.
void fill_up(const std::string& path) {
  const base::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full.valid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) != path) continue;
    REQUIRE(::dup2(full.get(), std::stoi(entry.path().filename().string())) >= 0);
    return;
  }
  FAIL(path + " is not open");
}

TEST_CASE("an end that cannot be written is another end: told once, and the same everywhere") {
  const StateDir state;
  LiveRun live(state.path());
  live.when_told = [&live](const event::Event& event) {
    const auto* change = std::get_if<event::StatusChange>(&event);
    if (change == nullptr || change->status != event::AgentStatus::kExited) return;
    fill_up(std::filesystem::canonical(live.session().run_dir().events_file()).string());
  };
  REQUIRE(live.start(shell("echo hello")).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kInternal);
  CHECK(live.session().result().code == 125);
  std::vector<int> codes;
  for (const event::Event& event : live.events()) {
    if (const auto* exit = std::get_if<event::Exit>(&event)) codes.push_back(exit->code);
  }
  CHECK(codes == std::vector<int>{125});
}

}  // namespace
}  // namespace orch::session
