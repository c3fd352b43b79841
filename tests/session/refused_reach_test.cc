#include "session/refused_reach.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "watched_folder.h"

namespace orch::session {
namespace {

struct ReachScene {
  explicit ReachScene(const std::string& network = "all") {
    home = std::filesystem::canonical(yard.path()).string() + "/home";
    for (const char* name : {".ssh/id_rsa", ".config/gh/hosts.yml", ".netrc"}) {
      yard.write(std::string("home/") + name, "x");
    }
    plan.layers.landlock = true;
    plan.network = fence::parse_network(network).value();
    plan.secrets.closed = {home + "/.ssh", home + "/.config/gh", home + "/.netrc", home + "/.aws"};
    reach = RefusedReach(plan);
  }
  WatchedFolder yard;
  std::string home;
  fence::Plan plan;
  RefusedReach reach;
};

TEST_CASE("a host that was not reached is found, once, where the fence limits the network") {
  for (const std::string line :
       {"fatal: unable to access 'https://host.example/': Could not resolve host: host.example",
        "ssh: Could not resolve hostname host.example: Temporary failure in name resolution",
        "ssh: connect to host host.example port 22: Permission denied",
        "Failed to connect to host.example port 443: Couldn't connect to server",
        "error connecting to host.example", "npm error getaddrinfo EAI_AGAIN host.example"}) {
    INFO(line);
    ReachScene it("none");
    const auto found = it.reach.look(line);
    REQUIRE(found.size() == 1);
    CHECK(found[0].host == "host.example");
    CHECK(it.reach.look(line).empty());
    CHECK(it.reach.hosts() == std::vector<std::string>{"host.example"});
    CHECK(ReachScene().reach.look(line).empty());
    CHECK(note_of(found[0], it.plan.network, "42").find("orch land 42") != std::string::npos);
    CHECK(note_of(found[0], it.plan.network, "42").find("--net all") != std::string::npos);
  }
}

TEST_CASE("a login that is missing is found with the place that the fence closes") {
  struct Row {
    const char *line, *place;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"git@host.example: Permission denied (publickey).", "/.ssh"},
           {"fatal: could not read Username for 'https://host.example': terminal prompts disabled",
            "/.config/gh"},
           {"To get started with GitHub CLI, please run:  gh auth login", "/.config/gh"}}) {
    INFO(row.line);
    ReachScene it;
    const auto found = it.reach.look(row.line);
    REQUIRE(found.size() == 1);
    CHECK(found[0].credential == it.home + row.place);
    CHECK(it.reach.look(row.line).empty());
    const std::string note = note_of(found[0], it.plan.network, "42");
    CHECK(note.find("--read " + it.home + row.place) != std::string::npos);
    CHECK(note.find("orch land 42") != std::string::npos);
  }
}

TEST_CASE("a login that the fence does not close is none of its refusals") {
  ReachScene it;
  CHECK(it.reach.look("Unable to locate credentials").empty());  // there are none
  it.plan.secrets.open = {it.home + "/.ssh"};
  it.reach = RefusedReach(it.plan);
  CHECK(it.reach.look("Permission denied (publickey).").empty());
  CHECK(RefusedReach().look("Permission denied (publickey).").empty());
  it.plan = ReachScene("none").plan;
  it.plan.layers = {};
  it.reach = RefusedReach(it.plan);
  CHECK(it.reach.look("Could not resolve host: host.example").empty());
}

TEST_CASE("a message about a login that goes on in the next row is read as one") {
  ReachScene it;
  CHECK(it.reach.look("git@host.example: Permission den").empty());
  CHECK(it.reach.look("ied (publickey).", true).size() == 1);
}

}  // namespace
}  // namespace orch::session
