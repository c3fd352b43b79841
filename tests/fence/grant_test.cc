// What may be granted, and that a grant stays with the folder that was checked.
#include "fence/grant.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fenced.h"
#include "skipped.h"

namespace fs = std::filesystem;
using namespace orch::fence;

TEST_CASE("a home, what holds it, the records and the system's folders are never granted") {
  const Yard yard;
  const Guarded guarded{{yard.path("home")}, yard.path("out/state"), {}};
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

TEST_CASE("what orch obeys is granted to nobody, nor is what it is a link to") {
  const Yard yard;
  fs::create_directories(yard.path("home/.config/orch/adapters"));
  fs::create_directories(yard.path("work/dots"));
  yard.write("out/tree/config.json", "{}");
  fs::create_symlink(yard.path("out/tree/config.json"), yard.path("home/.config/orch/config.json"));
  fs::create_directory_symlink(yard.path("work/dots"), yard.path("home/.config/orch/adapters/my"));
  Guarded guarded = guarded_of_user(yard.path("home"), "", "");
  for (const char* path : {"home/.config", "home/.config/orch", "home/.config/orch/adapters",
                           "out/tree", "work/dots", "work"}) {
    INFO(path);
    CHECK_FALSE(grant(yard.path(path), guarded));
  }
  CHECK(grant(yard.path("scratch"), guarded));
  fs::create_directories(yard.path("scratch/orch"));
  guarded = guarded_of_user(yard.path("home"), yard.path("scratch"), "");
  CHECK_FALSE(grant(yard.path("scratch"), guarded));
}

TEST_CASE("a path that has become a link since it was decided about is not followed") {
  const Yard yard;
  fs::create_directories(yard.path("work/sub"));
  CHECK(grant_as_decided(yard.path("work/sub"), {}));
  fs::rename(yard.path("work/sub"), yard.path("work/old"));
  fs::create_directory_symlink(yard.path("out"), yard.path("work/sub"));
  CHECK_FALSE(grant_as_decided(yard.path("work/sub"), {}));
  CHECK(grant(yard.path("work/sub"), {})->path == yard.path("out"));

  Request request = yard.request();
  request.write = {yard.path("work/sub")};
  CHECK_FALSE(make_plan(find_offer(), request));
  // A readable place is opened as it was when it was granted, or not at all.
  fs::create_directories(yard.path("home/.ssh"));
  fs::create_directory_symlink(yard.path("home/.ssh"), yard.path("work/keys"));
  request.write.clear();
  request.readable = {yard.path("work/keys")};
  const Plan plan = make_plan(find_offer(), request).value();
  const auto& closed = plan.secrets.closed;
  CHECK(std::find(closed.begin(), closed.end(), yard.path("home/.ssh")) != closed.end());
}

TEST_CASE("a home by another of its mounts is a home all the same") {
  if (::geteuid() != 0) return orch::say_skipped("only root can mount");
  const Yard yard;
  fs::create_directories(yard.path("out/again"));
  const Plan none;
  constexpr int kNoMounts = 2;
  const int end = inside(none, [&yard] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(yard.path("home").c_str(), yard.path("out/again").c_str(), nullptr, MS_BIND,
                nullptr) != 0) {
      return kNoMounts;
    }
    const Guarded guarded{{yard.path("home")}, "", {}};
    return grant(yard.path("out/again"), guarded) ? 1 : 0;
  });
  if (end == kNoMounts) return orch::say_skipped("no mounts of one's own here");
  CHECK(end == 0);
}

TEST_CASE("an agent's home in a place of keys opens nothing of it") {
  const Yard yard;
  fs::create_directories(yard.path("home/.ssh"));
  Request request = yard.request();
  request.homes = {yard.path("home/.ssh")};
  const Plan plan = make_plan(find_offer(), request).value();
  const auto& closed = plan.secrets.closed;
  CHECK(std::find(closed.begin(), closed.end(), yard.path("home/.ssh")) != closed.end());
}
