#include "client/end_session.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "marked_process.h"
#include "pty/process_table.h"
#include "rig.h"

namespace orch::client {
namespace {

using Catch::Contains;
using store::SessionFile;
using store::SessionRecord;

// A sleeping process that belongs to no session.
class Stranger {
 public:
  Stranger() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
    REQUIRE(pid_ > 0);
  }
  ~Stranger() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }
  pty::ProcessIdentity identity() const {
    pty::ProcessIdentity identity = pty::own_identity();
    identity.pid = pid_;
    identity.start = pty::read_process(pid_)->start;
    return identity;
  }

 private:
  pid_t pid_;
};

SessionRecord record_of(const pty::ProcessIdentity& host) {
  SessionRecord record;
  record.key = store::session_key("42", "/a");
  record.name = "orch-42";
  record.issue = "42";
  record.manager = "native";
  record.cwd = record.repository = "/a";
  record.run = "20261121T211048-42-0a1b";
  record.host = host;
  return record;
}

// A session file whose lock this process holds, while its record names another process as the host.
struct Held {
  explicit Held(const pty::ProcessIdentity& host) : session(record_of(host)) {
    file = std::move(SessionFile::claim(folder.path(), session.key)).value();
    REQUIRE(file->write(session).ok());
  }
  std::string error_at_once() const {
    const auto ended = end_session(folder.path(), session, Manner::kAtOnce, {});
    return ended ? "" : ended.error().text;
  }
  host::TestFolder folder;
  SessionRecord session;
  std::unique_ptr<SessionFile> file;
};

TEST_CASE("A process that got the host's pid is not killed") {
  const Stranger stranger;
  pty::ProcessIdentity host = stranger.identity();
  std::string why = "is held by a process that is not the host it names";
  SECTION("since") { host.start -= 1; }
  SECTION("on another machine") {
    host.boot_id = "another";
    host.hostname = "node17";
    why =
        "runs on another machine, node17, and does not answer; end it there, or if it is gone: "
        "orch gc --forget orch-42@";
  }
  SECTION("in another container") {
    host.pid_namespace += 1;
    why =
        "runs in another pid namespace (a container), and does not answer; end it there, or if it "
        "is gone: "
        "orch gc --forget orch-42@";
  }
  SECTION("before this machine booted") { host.boot_id = "earlier"; }
  SECTION("as far as an older file says") {
    host = {};
    host.pid = stranger.identity().pid;
    why = "does not say enough of its host to kill it";
  }
  const Held held(host);
  CHECK_THAT(held.error_at_once(), Contains("session orch-42 " + why));
  CHECK(stranger.lives());
  CHECK(store::session_of(held.folder.path(), held.session.key)->status ==
        store::SessionStatus::kRunning);
}

TEST_CASE("A session of a dead host that another process is removing is gone soon") {
  auto host = std::make_unique<Stranger>();
  Held held(host->identity());
  host.reset();
  std::thread remover([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    held.file.reset();
  });
  CHECK(held.error_at_once().empty());
  remover.join();
}

TEST_CASE("Where a lock was lost nobody is killed, and nothing is removed") {
  const Stranger host;
  const Held held(host.identity());
  const std::string lock = held.folder.file("sessions/" + held.session.key + ".lock");
  std::filesystem::remove(lock);
  CHECK_THAT(held.error_at_once(), Contains("has lost its lock"));
  CHECK(host.lives());
  CHECK_FALSE(remove_dead_session(held.folder.path(), held.session));
  CHECK(store::list_sessions(held.folder.path()).value().size() == 1);
}

TEST_CASE("A dead host's session is removed, with its socket, and its run's files tell its end") {
  host::TestFolder folder;
  auto stranger = std::make_unique<Stranger>();
  SessionRecord session = record_of(stranger->identity());
  auto socket = peer::listen_on(folder.file("sockets"), "dead");
  REQUIRE(socket.ok());
  session.socket = socket.value().name.path();
  std::filesystem::create_directories(folder.file("sessions"));
  {
    auto file = std::move(SessionFile::claim(folder.path(), session.key)).value();
    REQUIRE(file->write(session).ok());
    std::filesystem::copy(folder.file("sessions"), folder.file("kept"));
  }
  std::filesystem::remove_all(folder.file("sessions"));
  std::filesystem::rename(folder.file("kept"), folder.file("sessions"));
  CHECK_FALSE(remove_dead_session(folder.path(), session));
  stranger.reset();
  SECTION("of a host that nobody serves any more") {
    socket.value().socket.reset();
    CHECK(remove_dead_session(folder.path(), session));
    CHECK_FALSE(std::filesystem::exists(session.socket));
  }
  SECTION("but a socket on which somebody listens stays") {
    CHECK(remove_dead_session(folder.path(), session));
    CHECK(std::filesystem::exists(session.socket));
  }
  CHECK(std::filesystem::is_empty(folder.file("sessions")));
}

TEST_CASE("A session that has ended meanwhile is ended, and a new one in its place is not") {
  const Stranger stranger;
  Held held(stranger.identity());
  SessionRecord earlier = held.session;
  SECTION("ended") {
    held.file.reset();
    CHECK(end_session(held.folder.path(), earlier, Manner::kAtOnce, {}).ok());
  }
  SECTION("and begun again") {
    earlier.run = "20261121T211047-42-0a1b";
    CHECK_FALSE(end_session(held.folder.path(), earlier, Manner::kAtOnce, {}).ok());
  }
  CHECK(stranger.lives());
}

TEST_CASE("What lives on of a run whose session is gone is told, with its pid") {
  const Stranger host;
  Held held(host.identity());
  held.session.run += "-" + std::to_string(::getpid());  // unique, so that no other run has it
  held.file.reset();
  MarkedProcess left(held.session.run);
  CHECK_THAT(held.error_at_once(), Contains("1 live on (pid " + std::to_string(left.pid()) +
                                            "); end them with kill -KILL"));
  left.end();
  CHECK(held.error_at_once().empty());
}

}  // namespace
}  // namespace orch::client
