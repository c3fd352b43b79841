#include "store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/fd.h"
#include "scratch.h"

using namespace orch::store;

TEST_CASE("write_file makes a private file with exactly these bytes") {
  const ScratchFolder folder;
  const std::string bytes("a\0b\n\xFF", 5);
  REQUIRE(write_file(folder.file("run.json"), bytes));
  CHECK(content_of(folder.file("run.json")) == bytes);
  CHECK(mode_of(folder.file("run.json")) == 0600);
  CHECK(folder.entries() == std::vector<std::string>{"run.json"});
}

TEST_CASE("write_file replaces the old file, whatever its length") {
  const ScratchFolder folder;
  REQUIRE(write_file(folder.file("f"), std::string(100'000, 'x'), 0644));
  CHECK(mode_of(folder.file("f")) == 0644);
  REQUIRE(write_file(folder.file("f"), "new"));
  CHECK(content_of(folder.file("f")) == "new");
  CHECK(mode_of(folder.file("f")) == 0600);
}

TEST_CASE("output goes into a file of ours, which keeps its mode") {
  const ScratchFolder folder;
  REQUIRE(write_output(folder.file("page"), "one"));
  CHECK(content_of(folder.file("page")) == "one");
  CHECK(mode_of(folder.file("page")) == 0600);
  REQUIRE(::chmod(folder.file("page").c_str(), 0644) == 0);
  REQUIRE(write_output(folder.file("page"), "two"));
  CHECK(content_of(folder.file("page")) == "two");
  CHECK(mode_of(folder.file("page")) == 0644);
}

TEST_CASE("output is written to a link or a pipe, which stays what it is") {
  const ScratchFolder folder;
  struct stat info {};
  SECTION("a link") {
    put_content(folder.file("target"), "a longer old text");
    REQUIRE(::symlink("target", folder.file("link").c_str()) == 0);
    REQUIRE(write_output(folder.file("link"), "new"));
    REQUIRE(::lstat(folder.file("link").c_str(), &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK(content_of(folder.file("target")) == "new");
    CHECK(folder.entries() == std::vector<std::string>{"link", "target"});
  }
  SECTION("a pipe") {
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const orch::base::Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader.valid());
    REQUIRE(write_output(pipe, "page"));
    std::array<char, 16> read{};
    CHECK(::read(reader.get(), read.data(), read.size()) == 4);
    CHECK(std::string(read.data()) == "page");
    REQUIRE(::lstat(pipe.c_str(), &info) == 0);
    CHECK(S_ISFIFO(info.st_mode));
  }
}

TEST_CASE("output into a file of another owner leaves it that owner's") {
  if (::geteuid() != 0) return;  // only root can give a file away
  const ScratchFolder folder;
  put_content(folder.file("page"), "a longer old text");
  REQUIRE(::chown(folder.file("page").c_str(), 65534, 65534) == 0);
  REQUIRE(write_output(folder.file("page"), "new"));
  struct stat info {};
  REQUIRE(::stat(folder.file("page").c_str(), &info) == 0);
  CHECK(info.st_uid == 65534);
  CHECK(content_of(folder.file("page")) == "new");
}

TEST_CASE("a folder that does not exist is an error that names the path") {
  const ScratchFolder folder;
  const auto status = write_file(folder.file("none/f"), "x");
  REQUIRE_FALSE(status);
  CHECK(status.error().text == "create " + folder.file("none/f") + ": No such file or directory");
}

TEST_CASE("in an unwritable folder the old file stays and nothing is left beside it") {
  const ScratchFolder folder;
  put_content(folder.file("f"), "old");
  {
    const ReadOnlyFolder locked(folder.path());
    const auto status = write_file(folder.file("f"), "new");
    REQUIRE_FALSE(status);
    CHECK(status.error().text == "create " + folder.file("f") + ": Permission denied");
  }
  CHECK(content_of(folder.file("f")) == "old");
  CHECK(folder.entries() == std::vector<std::string>{"f"});
}

TEST_CASE("on a full disk the old file stays and the temporary is removed") {
  const ScratchFolder folder;
  put_content(folder.file("f"), "old");
  {
    const FileSizeLimit full(1000);
    const auto status = write_file(folder.file("f"), std::string(5000, 'x'));
    REQUIRE_FALSE(status);
    CHECK(status.error().text.find(folder.file("f")) != std::string::npos);
    CHECK(status.error().text.find("File too large") != std::string::npos);
  }
  CHECK(content_of(folder.file("f")) == "old");
  CHECK(folder.entries() == std::vector<std::string>{"f"});
}

TEST_CASE("when the name is a folder the temporary is removed") {
  const ScratchFolder folder;
  REQUIRE(::mkdir(folder.file("f").c_str(), 0700) == 0);
  const auto status = write_file(folder.file("f"), "x");
  REQUIRE_FALSE(status);
  CHECK(status.error().text.find("Is a directory") != std::string::npos);
  CHECK(folder.entries() == std::vector<std::string>{"f"});
}
