#include "pty/process_identity.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "pty/process_table.h"

namespace orch::pty {
namespace {

TEST_CASE("This process knows itself, and is here") {
  const ProcessIdentity own = own_identity();
  CHECK(own.pid == ::getpid());
  CHECK(own.start == read_process(::getpid())->start);
  CHECK(own.pid_namespace != 0);
  CHECK(own.boot_id.size() == 36);  // a UUID
  CHECK_FALSE(own.hostname.empty());
  CHECK(own == own_identity());
  CHECK(whereabouts(own) == Whereabouts::kHere);
}

TEST_CASE("An ended process has ended, reaped or not") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  REQUIRE(pid > 0);
  ProcessIdentity child = own_identity();
  child.pid = pid;
  child.start = read_process(pid)->start;
  CHECK(whereabouts(child) == Whereabouts::kHere);
  REQUIRE(::kill(pid, SIGKILL) == 0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(whereabouts(child) == Whereabouts::kEnded);
  REQUIRE(::waitpid(pid, nullptr, 0) == pid);
  CHECK(whereabouts(child) == Whereabouts::kEnded);
}

TEST_CASE("A pid names nobody in another boot, machine or container") {
  ProcessIdentity process = own_identity();
  Whereabouts expected = Whereabouts::kUnknown;
  SECTION("it is another process's by now") {
    process.start += 1;
    expected = Whereabouts::kEnded;
  }
  SECTION("this machine has booted since") {
    process.boot_id = "earlier";
    expected = Whereabouts::kEnded;
  }
  SECTION("another machine of this name") {
    process.boot_id = "another";
    process.machine += "0";
    expected = Whereabouts::kOtherMachine;
  }
  SECTION("another machine") {
    process.boot_id = "another";
    process.hostname += "0";
    expected = Whereabouts::kOtherMachine;
  }
  SECTION("another container of this machine") {
    process.pid_namespace += 1;
    expected = Whereabouts::kOtherNamespace;
  }
  SECTION("an older version did not say which boot it was") { process.boot_id.clear(); }
  SECTION("it could not tell when it was started") { process.start = 0; }
  CHECK(whereabouts(process) == expected);
}

}  // namespace
}  // namespace orch::pty
