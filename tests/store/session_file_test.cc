#include "store/session_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "scratch.h"
#include "store/atomic_file.h"

using namespace orch::store;

namespace {

SessionRecord sample(const std::string& issue = "42") {
  SessionRecord record;
  record.key = session_key(issue, "/home/me/project");
  record.name = "orch-" + issue;
  record.issue = issue;
  record.manager = "native";
  record.agent = "claude";
  record.command = {"claude", "--model", "x"};
  record.cwd = "/home/me/project/src";
  record.repository = "/home/me/project";
  record.run = "20261122T010203-42-0a1b";
  record.run_dir = "/state/runs/20261122T010203-42-0a1b";
  record.host.pid = 4711;
  record.started = "2026-11-22T01:02:03.000Z";
  return record;
}

void leave_socket(const std::string&) {}

// Writes the file of a session whose lock nobody holds.
void leave_behind(const std::string& state, const SessionRecord& record) {
  std::filesystem::create_directories(state + "/sessions");
  REQUIRE(write_file(state + "/sessions/" + record.key + ".json", to_json(record)).ok());
}

std::string file_of(const ScratchFolder& scratch, const SessionRecord& record) {
  return scratch.file("state/sessions/" + record.key + ".json");
}

}  // namespace

TEST_CASE("a session's key tells its repository apart") {
  CHECK(session_key("42", "/a") == session_key("42", "/a"));
  CHECK(session_key("42", "/a") != session_key("42", "/b"));
  CHECK(session_key("42", "/a").substr(0, 8) == "orch-42@");
  CHECK(session_key("42", "/a").size() == 16);
}

TEST_CASE("a session record survives the way through its file") {
  SessionRecord record = sample();
  CHECK(*session_record_from_json(to_json(record)) == record);
  record.socket = "/run/user/0/orch/x.sock";
  record.status = SessionStatus::kStopped;
  record.host = orch::pty::own_identity();
  CHECK(*session_record_from_json(to_json(record)) == record);
  CHECK_FALSE(session_record_from_json("{}").ok());
  CHECK_FALSE(session_record_from_json("[").ok());
}

TEST_CASE("a session is listed while its host holds it, and gone with it") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  CHECK(list_sessions(state).value().empty());
  const SessionRecord record = sample();
  {
    auto held = SessionFile::claim(state, record.key);
    REQUIRE(held.ok());
    CHECK(list_sessions(state).value().empty());
    REQUIRE((*held)->write(record).ok());
    CHECK(list_sessions(state).value() == std::vector{record});
    struct stat status {};
    REQUIRE(::stat(file_of(scratch, record).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  CHECK(list_sessions(state).value().empty());
  CHECK(std::filesystem::is_empty(state + "/sessions"));
}

TEST_CASE("a session that runs is not claimed again, and looking at it keeps nobody out") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  const SessionRecord record = sample();
  auto held = SessionFile::claim(state, record.key);
  REQUIRE(held.ok());
  CHECK(SessionFile::claim(state, record.key).error().text.find("just starting") !=
        std::string::npos);
  REQUIRE((*held)->write(record).ok());
  const auto second = SessionFile::claim(state, record.key);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == orch::base::ErrorCode::kUsage);
  CHECK(second.error().text ==
        "orch-42 is running already (pid 4711); see orch logs 42, or end it: orch kill 42");
  CHECK(SessionFile::claim(state, session_key("42", "/elsewhere")).ok());
  *held = nullptr;
  CHECK(SessionFile::claim(state, record.key).ok());
}

TEST_CASE("of two that claim a session at once one gets it") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  int won = 0;
  std::vector<pid_t> children;
  int gate[2];
  REQUIRE(::pipe(gate) == 0);
  for (int i = 0; i < 8; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto held = SessionFile::claim(state, sample().key);
      ::close(gate[1]);
      char end = 0;
      [[maybe_unused]] const ssize_t n = ::read(gate[0], &end, 1);  // waits until all have tried
      ::_exit(held.ok() ? 1 : 0);
    }
    children.push_back(pid);
  }
  ::close(gate[1]);
  for (const pid_t pid : children) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    won += WEXITSTATUS(status);
  }
  ::close(gate[0]);
  CHECK(won == 1);
}

TEST_CASE("a session whose host was killed is errored, and can be removed and claimed") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  SessionRecord record = sample();
  record.socket = scratch.file("socket");
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto held = SessionFile::claim(state, record.key);
    if (held.ok() && (*held)->write(record).ok()) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSIGNALED(status));
  const std::string unfinished = state + "/sessions/" + record.key + ".json.aB3dE9";
  REQUIRE(write_file(unfinished, "{\"key\":").ok());
  REQUIRE(list_sessions(state).value().size() == 1);
  CHECK(list_sessions(state).value()[0].status == SessionStatus::kErrored);
  std::string socket;
  const auto remove_socket = [&socket](const std::string& path) { socket = path; };
  CHECK(remove_dead_session(state, record.key, remove_socket));
  CHECK(socket == record.socket);
  CHECK(std::filesystem::exists(unfinished));
  remove_unfinished_files(state);
  CHECK_FALSE(std::filesystem::exists(unfinished));
  CHECK(list_sessions(state).value().empty());
  const auto again = SessionFile::claim(state, record.key);
  REQUIRE(again.ok());
  CHECK_FALSE(remove_dead_session(state, record.key, leave_socket));
}

TEST_CASE("files that cannot be read are listed as their lock says, and as far as they are known") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  const SessionRecord record = sample();
  auto held = SessionFile::claim(state, record.key);
  REQUIRE(held.ok());
  REQUIRE((*held)->write(record).ok());
  REQUIRE(write_file(state + "/sessions/torn.json", "{\"key\":").ok());
  REQUIRE(write_file(state + "/sessions/other.json", to_json(record)).ok());
  const std::vector<SessionRecord> dead = list_sessions(state).value();
  REQUIRE(dead.size() == 3);
  for (const SessionRecord& session : dead) {
    CHECK((session.status == SessionStatus::kErrored) == (session.key != record.key));
    CHECK(session.unreadable.empty() == (session.key == record.key));
  }
  // The host of a later version of orch: it holds its lock, and its file has words that this
  // version does not know.
  std::string later = to_json(record);
  const std::string running = "\"running\"";
  later.replace(later.find(running), running.size(), "\"dreaming\"");
  REQUIRE(write_file(state + "/sessions/" + record.key + ".json", later).ok());
  const auto session = session_of(state, record.key);
  REQUIRE(session.is_present());
  CHECK(session->status == SessionStatus::kRunning);
  CHECK(session->unreadable.find("status") != std::string::npos);
  CHECK(session->name == record.name);
  CHECK(session->issue == record.issue);
  CHECK(session->cwd == record.cwd);
  CHECK(session->run == record.run);
  REQUIRE(write_file(state + "/sessions/" + record.key + ".json", "").ok());
  REQUIRE(session_of(state, record.key).is_present());
  CHECK(session_of(state, record.key)->issue == record.issue);
}

TEST_CASE("a session's file that is a pipe keeps nobody waiting") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  std::filesystem::create_directories(state + "/sessions");
  REQUIRE(::mkfifo((state + "/sessions/orch-1@00000000.json").c_str(), 0600) == 0);
  const std::vector<SessionRecord> sessions = list_sessions(state).value();
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].unreadable.find("no regular file") != std::string::npos);
}

TEST_CASE("a host that lives and lost its lock keeps its place") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  SessionRecord record = sample();
  record.host = orch::pty::own_identity();
  leave_behind(state, record);
  CHECK(host_of(state, record.key).is_absent());
  CHECK(session_of(state, record.key)->status == SessionStatus::kRunning);
  CHECK_FALSE(remove_dead_session(state, record.key, leave_socket));
  CHECK_FALSE(remove_dead_session(state, record.key, leave_socket, Witness::kPerson));
  const auto second = SessionFile::claim(state, record.key);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().text.find("orch-42 is running already (pid ") == 0);
  CHECK(session_of(state, record.key).is_present());
}

TEST_CASE("a session of another machine is not called dead because its lock is not seen") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  SessionRecord record = sample();
  record.host = orch::pty::own_identity();
  record.host.boot_id = "another";
  record.host.hostname = "node17";
  leave_behind(state, record);
  CHECK(session_of(state, record.key)->status == SessionStatus::kRunning);
  CHECK_FALSE(remove_dead_session(state, record.key, leave_socket));
  CHECK(session_of(state, record.key).value() == record);
  SECTION("unless a person knows") {
    CHECK(remove_dead_session(state, record.key, leave_socket, Witness::kPerson));
    CHECK(list_sessions(state).value().empty());
    return;
  }
  SECTION("its place is not taken, though its lock can be had") {
    const auto held = SessionFile::claim(state, record.key);
    REQUIRE_FALSE(held.ok());
    CHECK(held.error().code == orch::base::ErrorCode::kUsage);
    for (const std::string& word : {"(pid " + std::to_string(record.host.pid) + " on node17)",
                                    "orch gc --forget " + record.key}) {
      CHECK(held.error().text.find(word) != std::string::npos);
    }
    CHECK(session_of(state, record.key).value() == record);
  }
  SECTION("nor that of one that waits in a queue there") {
    record.status = SessionStatus::kQueued;
    leave_behind(state, record);
    const auto held = SessionFile::claim(state, record.key);
    REQUIRE_FALSE(held.ok());
    CHECK(held.error().text.find("may wait in a queue (pid ") != std::string::npos);
  }
  SECTION("but it is once it has failed there, and is only kept") {
    record.ended = "2026-11-22T01:03:04.000Z";
    leave_behind(state, record);
    CHECK(SessionFile::claim(state, record.key).ok());
  }
}

TEST_CASE("a session of this machine's earlier boot, or of a process that is gone, is errored") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  SessionRecord record = sample();
  record.host = orch::pty::own_identity();
  SECTION("booted since") { record.host.boot_id = "earlier"; }
  SECTION("its pid is another's by now") { record.host.start -= 1; }
  leave_behind(state, record);
  CHECK(session_of(state, record.key)->status == SessionStatus::kErrored);
  CHECK(remove_dead_session(state, record.key, leave_socket));
  CHECK(list_sessions(state).value().empty());
}

TEST_CASE("a host whose place another has taken meanwhile leaves that alone") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  const SessionRecord record = sample();
  auto first = SessionFile::claim(state, record.key);
  REQUIRE(first.ok());
  REQUIRE((*first)->write(record).ok());
  std::filesystem::remove(state + "/sessions/" + record.key + ".lock");  // the lock file was lost
  auto second = SessionFile::claim(state, record.key);
  REQUIRE(second.ok());
  SessionRecord newer = record;
  newer.run = "20261122T010204-42-0a1c";
  REQUIRE((*second)->write(newer).ok());
  *first = nullptr;
  CHECK(session_of(state, record.key).value() == newer);
  CHECK(host_of(state, record.key).is_present());
}
