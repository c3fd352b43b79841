// What may be granted, and that a grant is the folder that it was.
#include "fence/grant.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "fenced.h"

namespace fs = std::filesystem;
using namespace orch::fence;

TEST_CASE("a home, what holds it, the records and the system's folders are never granted") {
  const Yard yard;
  const Guarded guarded{{yard.path("home")}, yard.path("out/state")};
  fs::create_directory_symlink(yard.path("home"), yard.path("work/link"));
  CHECK(grant(yard.path("work"), guarded));
  CHECK(grant(yard.path("home") + "/..", {}));  // nothing is guarded there
  for (const std::string& path :
       {yard.path("home"), yard.path(""), yard.path("work/link"), yard.path("out"),
        std::string("/"), std::string("/etc"), std::string("/usr/../etc"), std::string("/home"),
        std::string("/var/lib"), yard.path("nowhere")}) {
    INFO(path);
    CHECK_FALSE(grant(path, guarded));
  }
  fs::create_directories(yard.path("home/project"));
  CHECK(grant(yard.path("home/project"), guarded));
}

TEST_CASE("beneath a root nothing leads out: no link, no way up, no other name of it") {
  const Yard yard;
  const Grant root = grant(yard.path("work"), {}).value();
  fs::create_directories(yard.path("work/a/b"));
  yard.write("work/a/file", "text");
  fs::create_directory_symlink(yard.path("out"), yard.path("work/out"));
  fs::create_directory_symlink(yard.path("work/a"), yard.path("work/inner"));
  fs::create_symlink("a/file", yard.path("work/file"));
  CHECK(grant_beneath(root, "")->path == yard.path("work"));
  CHECK(grant_beneath(root, ".")->path == yard.path("work"));
  CHECK(grant_beneath(root, "a/b")->path == yard.path("work/a/b"));
  CHECK(grant_beneath(root, "./a//b/")->path == yard.path("work/a/b"));
  CHECK(grant_beneath(root, yard.path("work/a"))->path == yard.path("work/a"));
  CHECK(grant_beneath(root, "a/file")->inode == 0);
  for (const std::string& path :
       {std::string("out"), std::string("inner"), std::string("inner/b"), std::string("file"),
        std::string("../out"), std::string("a/../../out"), std::string("a/.."), yard.path("out"),
        std::string("/etc"), std::string("missing"), std::string("a/file/x")}) {
    INFO(path);
    CHECK_FALSE(grant_beneath(root, path));
  }
}

TEST_CASE("a folder that was put in the place of a granted one is not opened") {
  const Yard yard;
  fs::create_directories(yard.path("work/sub"));
  const Grant granted = grant(yard.path("work/sub"), {}).value();
  CHECK(open_granted(granted));
  fs::rename(yard.path("work/sub"), yard.path("work/old"));
  CHECK_FALSE(open_granted(granted));
  fs::create_directory_symlink(yard.path("home"), yard.path("work/sub"));
  CHECK_FALSE(open_granted(granted));
  fs::remove(yard.path("work/sub"));
  fs::create_directories(yard.path("work/sub"));
  CHECK_FALSE(open_granted(granted));
}

TEST_CASE("the fence is not raised around a folder that took the place of a granted one") {
  const Yard yard;
  fs::create_directories(yard.path("work/sub"));
  Request request = yard.request();
  request.work_dir = yard.path("work/sub");
  Offer offer = find_offer();
  if (offer.landlock == 0) return;
  offer.bubblewrap.clear();
  const Plan plan = make_plan(offer, request).value();
  CHECK(inside(plan, [] { return 7; }) == 7);
  fs::rename(yard.path("work/sub"), yard.path("work/old"));
  fs::create_directory_symlink(yard.path("home"), yard.path("work/sub"));
  CHECK(inside(plan, [] { return 7; }) == 255);
}
