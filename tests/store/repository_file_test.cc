#include "store/repository_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "scratch.h"

using namespace orch;
using store::owners_of;
using store::read_inside;

namespace {

const store::Owners kMe = owners_of(::geteuid(), "");

std::string refusal(const std::string& root, const std::string& relative, size_t limit = 100) {
  const base::Result<std::string> read = read_inside(root, relative, kMe, limit);
  REQUIRE_FALSE(read);
  CHECK(read.error().text.find(root + "/" + relative) != std::string::npos);
  return read.error().text;
}

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("a regular file inside a repository is read whole") {
  const ScratchFolder root;
  std::filesystem::create_directories(root.file(".orch/issues"));
  put_content(root.file(".orch/issues/7.md"), "task");
  CHECK(*read_inside(root.path(), ".orch/issues/7.md", kMe) == "task");
  CHECK(*read_inside(root.path(), ".orch/issues/7.md", kMe, 4) == "task");
  CHECK(mentions(refusal(root.path(), ".orch/issues/7.md", 3), "more than 3 bytes"));
  const auto missing = read_inside(root.path(), ".orch/issues/8.md", kMe);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == base::ErrorCode::kNotFound);
}

TEST_CASE("no symbolic link is followed on the way, not even one that stays inside") {
  const ScratchFolder root;
  std::filesystem::create_directories(root.file("real"));
  put_content(root.file("real/file"), "x");
  std::filesystem::create_symlink("real", root.file("folder"));
  std::filesystem::create_symlink("/etc/passwd", root.file("outside"));
  std::filesystem::create_symlink("real/file", root.file("inside"));
  std::filesystem::create_symlink("nowhere", root.file("dangling"));
  for (const char* name : {"folder/file", "outside", "inside", "dangling"}) {
    CHECK(mentions(refusal(root.path(), name), "symbolic link"));
  }
  CHECK(mentions(refusal(root.path(), "real/../real/file"), "not a name"));
  CHECK(mentions(refusal(root.path(), "/real/file"), "not a name"));
}

TEST_CASE("pipes, folders and endless devices are refused without waiting") {
  const ScratchFolder root;
  REQUIRE(::mkfifo(root.file("pipe").c_str(), 0600) == 0);
  std::filesystem::create_directories(root.file("folder"));
  CHECK(mentions(refusal(root.path(), "pipe"), "not a regular file"));
  CHECK(mentions(refusal(root.path(), "folder"), "not a regular file"));
  const base::Result<std::string> device = read_inside("/dev", "zero", {.self = 0, .caller = {}});
  REQUIRE_FALSE(device);
  CHECK(mentions(device.error().text, "not a regular file"));
}

TEST_CASE("another user's file is refused; under sudo the caller's is not") {
  const ScratchFolder root;
  put_content(root.file("file"), "x");
  const uid_t other = ::geteuid() + 1;
  CHECK_FALSE(read_inside(root.path(), "file", owners_of(other, "")));
  CHECK_FALSE(store::check_owner(root.path(), owners_of(other, "")));
  CHECK(store::check_owner(root.path(), kMe));
  // The variable only counts for root.
  const store::Owners root_user = owners_of(0, "1234");
  CHECK((root_user.include(0) && root_user.include(1234)));
  CHECK_FALSE(root_user.include(1235));
  CHECK_FALSE(owners_of(1000, "1234").include(1234));
  CHECK_FALSE(owners_of(0, "12x").include(12));
}
