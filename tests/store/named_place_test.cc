#include "store/named_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/author.h"
#include "scratch.h"

using namespace orch::store;
using orch::base::ErrorCode;

namespace {

// A folder of the user's with another in it, "work", where agents write.
class Yard {
 public:
  Yard() {
    real_ = std::filesystem::canonical(folder_.path()).string();
    std::filesystem::create_directories(at("work/inner"));
    std::filesystem::create_directories(at("home"));
    orch::base::know_folder_of_agents(at("work"));
  }
  ~Yard() { orch::base::know_nothing(); }
  Yard(const Yard&) = delete;
  Yard& operator=(const Yard&) = delete;

  std::string at(const std::string& name) const { return real_ + "/" + name; }
  void link(const std::string& target, const std::string& name) const {
    REQUIRE(::symlink(target.c_str(), at(name).c_str()) == 0);
  }
  std::string found(const std::string& name, AgentsLinks links, Missing missing = Missing::kLast) {
    const auto place = find_named_place(at(name), missing, links);
    return place ? place->path : "error: " + place.error().text;
  }

 private:
  ScratchFolder folder_;
  std::string real_;
};

}  // namespace

TEST_CASE("a user's links are followed, as the last name and on the way") {
  Yard yard;
  yard.link("home", "door");
  yard.link(yard.at("home/page"), "out");
  yard.link("../home/./page", "home/again");
  for (const AgentsLinks links : {AgentsLinks::kInside, AgentsLinks::kRefused}) {
    CHECK(yard.found("door/page", links) == yard.at("home/page"));
    CHECK(yard.found("out", links) == yard.at("home/page"));
    CHECK(yard.found("door/again", links) == yard.at("home/page"));
    CHECK(yard.found("home/../work/inner/..//x", links) == yard.at("work/x"));
  }
}

TEST_CASE("a link in a folder where agents write leads nowhere for what is written") {
  Yard yard;
  yard.link(yard.at("home/.bashrc"), "work/42.patch");
  yard.link("inner", "work/door");
  yard.link(yard.at("home"), "work/out");
  yard.link("42.patch", "work/second");
  yard.link("work/42.patch", "users");
  for (const char* name : {"work/42.patch", "work/door/x", "work/out/x", "work/second", "users"}) {
    INFO(name);
    CHECK(yard.found(name, AgentsLinks::kRefused).find("is not followed") != std::string::npos);
  }
  CHECK(yard.found("work/inner/x", AgentsLinks::kRefused) == yard.at("work/inner/x"));
}

TEST_CASE("for what is read such a link is followed if it stays there") {
  Yard yard;
  yard.link("inner", "work/door");
  yard.link("../home", "work/out");
  CHECK(yard.found("work/door/x", AgentsLinks::kInside) == yard.at("work/inner/x"));
  CHECK(yard.found("work/out/x", AgentsLinks::kInside).find("leads out of it") !=
        std::string::npos);
}

TEST_CASE("another user's link is not followed for what is written") {
  if (::geteuid() != 0) return;  // only root can give a link away
  Yard yard;
  yard.link(yard.at("home/page"), "theirs");
  REQUIRE(::lchown(yard.at("theirs").c_str(), 12345, 12345) == 0);
  CHECK(yard.found("theirs", AgentsLinks::kRefused).find("another user") != std::string::npos);
  CHECK(yard.found("theirs", AgentsLinks::kInside) == yard.at("home/page"));
}

TEST_CASE("what is missing is an error, or the last name, or the rest, as is wanted") {
  Yard yard;
  const auto none = find_named_place(yard.at("none"), Missing::kError, AgentsLinks::kInside);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kNotFound);
  CHECK(yard.found("none", AgentsLinks::kRefused) == yard.at("none"));
  CHECK(yard.found("none/x", AgentsLinks::kRefused).starts_with("error: "));
  CHECK(yard.found("none/x/../y", AgentsLinks::kRefused, Missing::kRest) == yard.at("none/y"));
  CHECK(yard.found("none/../home", AgentsLinks::kRefused, Missing::kRest) == yard.at("home"));
  CHECK(yard.found("none/", AgentsLinks::kRefused).find("no such folder") != std::string::npos);
}

TEST_CASE("links that lead around in a circle end") {
  Yard yard;
  yard.link("b", "a");
  yard.link("a", "b");
  CHECK(yard.found("a", AgentsLinks::kRefused).find("symbolic links") != std::string::npos);
}

TEST_CASE("a path that begins here is found from here") {
  Yard yard;
  const std::string before = std::filesystem::current_path().string();
  std::filesystem::current_path(yard.at("home"));
  const auto place = find_named_place("../work/x", Missing::kLast, AgentsLinks::kRefused);
  std::filesystem::current_path(before);
  REQUIRE(place);
  CHECK(place->path == yard.at("work/x"));
  CHECK(place->name == "x");
}
