// Files with several names, because their file system is mounted more than once.
#include "fence/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "base/fd.h"
#include "fence/namespaces.h"
#include "fence/places.h"
#include "fence/secrets.h"
#include "fenced.h"
#include "skipped.h"

namespace fs = std::filesystem;
using namespace orch::fence;

namespace {

using Paths = std::vector<std::string>;

constexpr const char* kTable =
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
    "30 27 254:1 /@home /home rw shared:1 master:2 - btrfs /dev/vdb rw\n"
    "31 27 254:1 / /mnt/all\\040of\\134it rw - btrfs /dev/vdb rw\n"
    "32 27 254:1 /@home/u /mnt/x rw - btrfs /dev/vdb rw\n"
    "33 27 254:1 /@home/u/.ssh/id /mnt/key rw - btrfs /dev/vdb rw\n"
    "34 27 0:21 / /home/u/.ssh/agent rw - tmpfs tmpfs rw\n"
    "35 27 0:4 net:[4026531840] /run/netns/x rw - nsfs nsfs rw\n";

Paths sorted(Paths paths) {
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Runs `look` in a process with its own mount namespace; kNoMounts if `mount` returns false there.
constexpr int kAsExpected = 0, kNoMounts = 200;
int with_mounts(const std::function<bool()>& mount, const std::function<int()>& look) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool own = ::unshare(CLONE_NEWNS) == 0 &&
                     ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    ::_exit(own && mount() ? look() : kNoMounts);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool bind_mount(const std::string& from, const std::string& to) {
  return ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

// Mounts the home and what is in it a second time: beside the home, where rules for its secrets
// must hold as in the home itself, once with the keys covered; and around all that, where it shows
// the folders that those mounts are mounted on.
bool mount_twice(const Yard& yard) {
  for (const char* folder : {"twice", "covered", "again", "out/home", "out/keys", "out/work"}) {
    fs::create_directory(yard.path(folder));
  }
  yard.write("out/key", "");
  yard.write("out/config", "");
  const std::string covered = yard.path("covered/.ssh");
  return bind_mount(yard.path("home"), yard.path("twice")) &&
         bind_mount(yard.path("home"), yard.path("out/home")) &&
         bind_mount(yard.path("home"), yard.path("covered")) &&
         ::mount("none", covered.c_str(), "tmpfs", 0, nullptr) == 0 &&
         bind_mount(yard.path("home/.ssh"), yard.path("out/keys")) &&
         bind_mount(yard.path("home/.ssh/id"), yard.path("out/key")) &&
         bind_mount(yard.path("home/.ssh/config"), yard.path("out/config")) &&
         bind_mount(yard.path("work"), yard.path("out/work")) &&
         bind_mount(yard.path("work"), yard.path("work")) &&
         bind_mount(yard.path(""), yard.path("again"));
}

const Paths kKeys{"home/.ssh/id",       "twice/.ssh/id", "out/home/.ssh/id",
                  "again/home/.ssh/id", "out/keys/id",   "out/key"};
const Paths kOpen{"home/.ssh/config",     "home/notes",     "twice/notes",     "again/home/notes",
                  "out/home/.ssh/config", "out/home/notes", "out/keys/config", "out/config",
                  "covered/notes",        "work/mine",      "out/work/mine"};

void write_home(const Yard& yard) {
  yard.write("home/.ssh/id", "key");
  yard.write("home/.ssh/config", "Host *");
  yard.write("home/notes", "notes");
  yard.write("work/mine", "mine");
}

// The number of the first path that is readable and should not be, or the reverse; counted from 1.
int first_wrong(const Yard& yard, const std::function<bool(const std::string&)>& reads) {
  int number = 1;
  for (const Paths* paths : {&kKeys, &kOpen}) {
    for (const std::string& path : *paths) {
      if (reads(yard.path(path)) != (paths == &kOpen)) return number;
      ++number;
    }
  }
  return kAsExpected;
}

}  // namespace

TEST_CASE("mounts are read as the kernel writes them") {
  const std::vector<Mount> mounts = parse_mounts(kTable);
  REQUIRE(mounts.size() == 6);
  CHECK(mounts[1] == Mount{"254:1", "/@home", "/home"});
  CHECK(mounts[2] == Mount{"254:1", "/", "/mnt/all of\\it"});
  CHECK(parse_mounts("").empty());
  CHECK(parse_mounts("27 1 254:0 /\n\nno such line at all\n").empty());
  CHECK(parse_mounts("27 1 254:0 /\\04 /\\ - x\n") ==
        std::vector<Mount>{{"254:0", "/\\04", "/\\"}});
  CHECK_FALSE(mounts_of_this_process().empty());
}

TEST_CASE("a path has a name in each mount that shows it") {
  const std::vector<Mount> mounts = parse_mounts(kTable);
  CHECK(sorted(other_names(mounts, "/home/u/.ssh")) ==
        Paths{"/mnt/all of\\it/@home/u/.ssh", "/mnt/x/.ssh"});
  CHECK(sorted(other_names(mounts, "/mnt/x/.ssh")) ==
        Paths{"/home/u/.ssh", "/mnt/all of\\it/@home/u/.ssh"});
  CHECK(sorted(other_names(mounts, "/home/u/.ssh/id")) ==
        Paths{"/mnt/all of\\it/@home/u/.ssh/id", "/mnt/key", "/mnt/x/.ssh/id"});
  CHECK(other_names(mounts, "/home/v") == Paths{"/mnt/all of\\it/@home/v"});
  CHECK(other_names(mounts, "/home") == Paths{"/mnt/all of\\it/@home"});
  CHECK(other_names(mounts, "/etc/shadow").empty());
  CHECK(other_names(mounts, "/").empty());
  CHECK(other_names({}, "/home").empty());
}

TEST_CASE("of a folder parts are found that are mounted by themselves") {
  const std::vector<Mount> mounts = parse_mounts(kTable);
  CHECK(parts_mounted(mounts, "/home/u/.ssh") == Paths{"/mnt/key"});
  CHECK(parts_mounted(mounts, "/home/u/.ss").empty());
  CHECK(sorted(parts_mounted(mounts, "/home")) == Paths{"/mnt/key", "/mnt/x"});
}

TEST_CASE("keys are closed by all their names: Landlock") {
  const Yard yard;
  write_home(yard);
  if (!yard.plan().layers.landlock) return orch::say_skipped("no Landlock here");
  const int end = with_mounts([&] { return mount_twice(yard); },
                              [&] {
                                const Plan plan = yard.plan();
                                return first_wrong(yard, [&plan](const std::string& path) {
                                  return error_inside(plan, [&path] {
                                           return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
                                         }) == 0;
                                });
                              });
  if (end == kNoMounts) return orch::say_skipped("no mounts of one's own here");
  CHECK(end == kAsExpected);
}

TEST_CASE(
    "keys are closed by all their names: namespaces alone, and what Landlock leaves to them") {
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
  for (const int landlock : {0, 1}) {
    INFO("Landlock " << landlock);
    const Yard yard;
    write_home(yard);
    Offer offer;
    offer.bubblewrap = *bubblewrap;
    offer.landlock = landlock;  // it changes the mounts; it is not entered here
    const int end =
        with_mounts([&] { return mount_twice(yard); },
                    [&] {
                      const Plan plan = make_plan(offer, yard.request()).value();
                      return first_wrong(yard, [&plan](const std::string& path) {
                        const std::string script = "cat " + path + " >/dev/null 2>&1";
                        return exit_code(in_namespaces(plan, {"/bin/sh", "-c", script})) == 0;
                      });
                    });
    if (end == kNoMounts) return orch::say_skipped("no mounts of one's own here");
    CHECK(end == kAsExpected);
  }
}

TEST_CASE("the machine's secrets are closed by all their names") {
  if (::access("/etc/shadow", R_OK) != 0) return orch::say_skipped("/etc/shadow cannot be read");
  const Yard yard;
  fs::create_directory(yard.path("out/etc"));
  const int end = with_mounts([&] { return bind_mount("/etc", yard.path("out/etc")); },
                              [&] {
                                const Paths closed = yard.plan().secrets.of_machine;
                                const auto at = std::find(closed.begin(), closed.end(),
                                                          yard.path("out/etc/shadow"));
                                return at == closed.end() ? 1 : kAsExpected;
                              });
  if (end == kNoMounts) return orch::say_skipped("no mounts of one's own here");
  CHECK(end == kAsExpected);
}

TEST_CASE("what holds the work directory is no place by another name either") {
  const Yard yard;
  fs::create_directory(yard.path("home/.kube"));
  yard.write("home/.kube/project/mine", "mine");
  const int end = with_mounts(
      [&] { return bind_mount(yard.path("home/.kube/project"), yard.path("work")); },
      [&] {
        const SecretPlaces secrets = yard.plan().secrets;
        const auto holds = [&yard](const std::string& place) {
          return is_within(yard.path("work"), place);
        };
        return std::any_of(secrets.closed.begin(), secrets.closed.end(), holds) ? 1 : kAsExpected;
      });
  if (end == kNoMounts) return orch::say_skipped("no mounts of one's own here");
  CHECK(end == kAsExpected);
}
