#include "session/refused_reads.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "watched_folder.h"

namespace orch::session {
namespace {

using Paths = std::vector<std::string>;

struct ReadScene {
  ReadScene() {
    home = std::filesystem::canonical(yard.path()).string() + "/home";
    for (const char* name : {"notes", ".ssh/id_rsa", ".cargo/bin/x", "work/file"}) {
      yard.write(std::string("home/") + name, "x");
    }
    plan.homes = {{home}, {home + "/.cargo", home + "/.ssh/known_hosts"}};
    plan.secrets.closed = {home + "/.ssh"};
    plan.write = {{home + "/work", 0, 0}};
    reads = RefusedReads(plan, home + "/work");
  }
  WatchedFolder yard;
  std::string home;
  fence::Plan plan;
  RefusedReads reads;
};

TEST_CASE("a path of the home that the agent was refused is found, once") {
  ReadScene it;
  CHECK(it.reads.look("cat: " + it.home + "/notes: Permission denied") ==
        Paths{it.home + "/notes"});
  CHECK(it.reads.look("cat: " + it.home + "/notes: Permission denied").empty());
  CHECK(it.reads.look("cat: '~/.ssh/id_rsa': No such file or directory") ==
        Paths{it.home + "/.ssh/id_rsa"});
  CHECK(it.reads.paths().size() == 2);
}

TEST_CASE("it is found however a program tells it") {
  for (const std::string line :
       {"Error: ENOENT: no such file or directory, open 'HOME/notes'",
        "bash: line 1: HOME/notes: Permission denied", "cat: ../notes: No such file or directory",
        "FileNotFoundError: [Errno 2] No such file or directory: 'HOME/notes'",
        "ls: cannot access ‘HOME/notes’: x", "fatal: could not open \"HOME/notes\": EACCES.",
        "notes not found in ~/notes."}) {
    INFO(line);
    ReadScene it;
    std::string told = line;
    if (const size_t at = told.find("HOME"); at != std::string::npos) told.replace(at, 4, it.home);
    CHECK(it.reads.look(told) == Paths{it.home + "/notes"});
  }
}

TEST_CASE("a line that goes on in the next row is read as one") {
  ReadScene it;
  CHECK(it.reads.look("cat: " + it.home + "/not").empty());
  CHECK(it.reads.look("es: Permission denied", true) == Paths{it.home + "/notes"});
}

TEST_CASE("what does not exist, is shown, or was not refused is not told") {
  ReadScene it;
  for (const std::string& line :
       {"cat: " + it.home + "/missing: No such file or directory",
        "cat: " + it.home + "/.cargo/bin/x: Permission denied",
        "cat: " + it.home + "/work/file: Permission denied", "I read " + it.home + "/notes",
        "cat: " + it.home + ": Permission denied", std::string("/etc/passwd: Permission denied")}) {
    INFO(line);
    CHECK(it.reads.look(line).empty());
  }
  CHECK(RefusedReads().look("cat: " + it.home + "/notes: Permission denied").empty());
}

}  // namespace
}  // namespace orch::session
