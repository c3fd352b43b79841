#include "fence/places.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fence/sockets.h"
#include "fenced.h"

using namespace orch::fence;

TEST_CASE("a path is within itself and what is above it") {
  CHECK(is_within("/a/b", "/a"));
  CHECK(is_within("/a", "/a"));
  CHECK(is_within("/a", "/"));
  CHECK_FALSE(is_within("/ab", "/a"));
  CHECK_FALSE(is_within("/", "/a"));
}

TEST_CASE("all but a file is everything beside what leads to it, and no link") {
  const Yard yard;
  const std::string secret = yard.write("home/.ssh/key", "");
  const std::string beside = yard.write("home/.ssh/config", "");
  std::filesystem::create_symlink(secret, yard.path("home/link"));
  const std::vector<std::string> all = all_but({secret}).kept;
  const auto holds = [&all](const std::string& path) {
    return std::any_of(all.begin(), all.end(),
                       [&path](const std::string& one) { return is_within(path, one); });
  };
  CHECK(holds(beside));
  CHECK(holds(yard.path("out")));
  CHECK(holds("/usr"));
  CHECK_FALSE(holds(secret));
  CHECK_FALSE(holds(yard.path("home/link")));
  CHECK(all_but({}).kept == std::vector<std::string>{"/"});
}

TEST_CASE("a place that is not there yet is left out as well") {
  const Yard yard;
  const std::string beside = yard.write("home/notes", "");
  const Remainder rest = all_but({yard.path("home/.aws/credentials")}, yard.path("home"));
  CHECK(std::find(rest.kept.begin(), rest.kept.end(), beside) != rest.kept.end());
  CHECK(std::find(rest.apart.begin(), rest.apart.end(), yard.path("home")) != rest.apart.end());
}

TEST_CASE("a folder is taken apart on demand, though nothing is left out of it") {
  const Yard yard;
  const std::string notes = yard.write("home/deep/notes", "");
  const Remainder rest = all_but({}, yard.path("home"), {yard.path("home/deep")});
  CHECK(rest.kept == std::vector<std::string>{notes});
  CHECK(rest.apart == std::vector<std::string>{yard.path("home"), yard.path("home/deep")});
}

TEST_CASE("sockets by their path, of the kernel's table") {
  constexpr const char* kTable =
      "Num               RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 15640 /run/user/1000/bus\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01    12 /tmp/a b\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 99999\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 15641 @/tmp/.X11-unix/X0\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 15642 /run/user/1000/bus\n";
  CHECK(bound_sockets(kTable) == std::vector<std::string>{"/run/user/1000/bus", "/tmp/a b"});
}
