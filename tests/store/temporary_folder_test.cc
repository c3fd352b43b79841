#include "store/temporary_folder.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "marked_process.h"
#include "pty/process_identity.h"

using namespace orch;
using store::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

// The parent folder for these tests. In /tmp, any other orch of this user, such as that of another
// test, could remove abandoned folders at any time.
const std::string& parent() {
  static const struct Parent {
    Parent() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
    ~Parent() {
      std::error_code failure;
      fs::remove_all(path, failure);
    }
    std::string path = "/tmp/temporary-folder-test-XXXXXX";
  } only;
  return only.path;
}

// Makes a folder in a process that is then killed; returns the folder's name.
std::string left_behind() {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::make("20261121T211048-7-dead", parent());
    if (!folder) ::_exit(1);
    std::ofstream(folder->path() + "/file") << "x";
    const std::string outer = fs::path(folder->path()).parent_path();
    if (::write(ends[1], outer.data(), outer.size()) < 0) ::_exit(1);
    ::close(ends[1]);
    ::raise(SIGKILL);
  }
  REQUIRE(child > 0);
  ::close(ends[1]);
  std::string outer(PATH_MAX, '\0');
  const ssize_t n = ::read(ends[0], outer.data(), outer.size());
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  REQUIRE(n > 0);
  outer.resize(static_cast<size_t>(n));
  return outer;
}

bool is_listed(const std::string& outer) {
  const std::string_view only = parent();
  return std::ranges::count(store::abandoned_temporary_folders({&only, 1}), outer) == 1;
}

// A folder with such a name. The destructor removes it in any case.
struct Planted {
  Planted() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Planted() {
    std::error_code failure;
    fs::remove_all(path, failure);
  }
  void owned_by(const std::string& text) const { std::ofstream(path + "/owner") << text; }
  std::string path = parent() + "/orch-XXXXXX";
};

std::string gone() {
  pty::ProcessIdentity process = pty::own_identity();
  process.start += 1;  // the pid belongs to another process by now
  return pty::identity_text(process);
}

}  // namespace

TEST_CASE("a temporary folder goes with its owner, with what cannot be written in it") {
  std::string path;
  {
    const auto folder = TemporaryFolder::make("run", parent());
    REQUIRE(folder.ok());
    path = folder->path();
    CHECK(fs::is_empty(path));
    fs::create_directories(path + "/a/b");
    std::ofstream(path + "/a/b/c") << "x";
    ::chmod((path + "/a/b").c_str(), 0500);
    CHECK_FALSE(is_listed(fs::path(path).parent_path()));
  }
  CHECK_FALSE(fs::exists(fs::path(path).parent_path()));
}

TEST_CASE("what a killed process left is found and removed, and nothing that a link leads to") {
  const std::string outer = left_behind();
  const Planted kept;
  std::ofstream(kept.path + "/precious") << "x";
  fs::create_symlink(kept.path, outer + "/tmp/link");
  fs::create_symlink(kept.path + "/precious", outer + "/tmp/file-link");
  CHECK(is_listed(outer));
  CHECK(store::remove_temporary_folder(outer).ok());
  CHECK_FALSE(fs::exists(outer));
  CHECK(fs::exists(kept.path + "/precious"));
}

TEST_CASE(
    "the folder of a process that lives, or of whom nothing is known, is nobody's to remove") {
  const Planted planted;
  SECTION("no owner") {}
  SECTION("nonsense") { planted.owned_by("orch\n"); }
  SECTION("no run") { planted.owned_by(gone() + "\n\n"); }
  SECTION("cut off") { planted.owned_by(gone() + "\nrun"); }
  SECTION("it lives") { planted.owned_by(pty::identity_text(pty::own_identity()) + "\nrun\n"); }
  SECTION("another machine") {
    pty::ProcessIdentity process = pty::own_identity();
    process.boot_id = "another";
    process.hostname += ".elsewhere";
    planted.owned_by(pty::identity_text(process) + "\nrun\n");
  }
  SECTION("another pid namespace") {
    pty::ProcessIdentity process = pty::own_identity();
    process.pid_namespace += 1;
    planted.owned_by(pty::identity_text(process) + "\nrun\n");
  }
  SECTION("a link for an owner") {
    planted.owned_by("");
    fs::rename(planted.path + "/owner", planted.path + "/real");
    std::ofstream(planted.path + "/real") << gone() << "\nrun\n";
    fs::create_symlink("real", planted.path + "/owner");
  }
  SECTION("a pipe for an owner") {
    REQUIRE(::mkfifo((planted.path + "/owner").c_str(), 0600) == 0);
  }
  SECTION("others may look in") {
    planted.owned_by(gone() + "\nrun\n");
    ::chmod(planted.path.c_str(), 0755);
  }
  CHECK_FALSE(is_listed(planted.path));
  CHECK(store::remove_temporary_folder(planted.path).ok());
  CHECK(fs::exists(planted.path));
}

TEST_CASE("a folder is kept while something of its run lives, and another user's always") {
  const Planted planted;
  planted.owned_by(gone() + "\nrun-that-lives\n");
  CHECK(is_listed(planted.path));
  MarkedProcess process("run-that-lives");
  CHECK_FALSE(is_listed(planted.path));
  process.end();
  CHECK(is_listed(planted.path));
  if (::geteuid() != 0) return;
  REQUIRE(::chown(planted.path.c_str(), 4321, 4321) == 0);
  CHECK_FALSE(is_listed(planted.path));
}

TEST_CASE("a link in the place of a folder leads nowhere") {
  const Planted real, place;
  real.owned_by(gone() + "\nrun\n");
  fs::remove(place.path);
  fs::create_symlink(real.path, place.path);
  CHECK_FALSE(is_listed(place.path));
  CHECK(store::remove_temporary_folder(place.path).ok());
  CHECK(fs::exists(real.path + "/owner"));
}
