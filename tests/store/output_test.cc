#include "store/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/author.h"
#include "base/fd.h"
#include "scratch.h"
#include "store/output_folder.h"

using namespace orch::store;
using orch::base::ErrorCode;

namespace {

// While it exists, agents may write in the folder.
class AgentsFolder {
 public:
  explicit AgentsFolder(const std::string& path) {
    orch::base::know_folder_of_agents(std::filesystem::canonical(path).string());
  }
  ~AgentsFolder() { orch::base::know_nothing(); }
  AgentsFolder(const AgentsFolder&) = delete;
  AgentsFolder& operator=(const AgentsFolder&) = delete;
};

}  // namespace

TEST_CASE("output goes into a file of ours, which keeps its mode") {
  const ScratchFolder folder;
  REQUIRE(write_output(folder.file("page"), "one"));
  CHECK(content_of(folder.file("page")) == "one");
  CHECK(mode_of(folder.file("page")) == 0600);
  REQUIRE(::chmod(folder.file("page").c_str(), 0644) == 0);
  REQUIRE(write_output(folder.file("page"), "two"));
  CHECK(content_of(folder.file("page")) == "two");
  CHECK(mode_of(folder.file("page")) == 0644);
  CHECK(folder.entries() == std::vector<std::string>{"page"});
}

TEST_CASE("output is written to a link or a pipe of the user's, which stays what it is") {
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

TEST_CASE("in an agent's folder output goes through no link and into no pipe") {
  const ScratchFolder folder;
  const std::string work = folder.file("work"), secret = folder.file("bashrc");
  REQUIRE(::mkdir(work.c_str(), 0700) == 0);
  put_content(secret, "the user's");
  const AgentsFolder agents(work);
  SECTION("a link") { REQUIRE(::symlink(secret.c_str(), (work + "/42.patch").c_str()) == 0); }
  SECTION("a link that dangles") {
    REQUIRE(::symlink((secret + ".new").c_str(), (work + "/42.patch").c_str()) == 0);
  }
  SECTION("a pipe, which nobody reads") {
    REQUIRE(::mkfifo((work + "/42.patch").c_str(), 0600) == 0);
  }
  for (const bool appended : {false, true}) {
    const auto status = appended
                            ? [&] {
                                const auto opened = open_output(work + "/42.patch");
                                return opened ? orch::base::Status(orch::base::Ok{})
                                              : orch::base::Status(opened.error());
                              }()
                            : write_output(work + "/42.patch", "diff");
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::kUsage);
    CHECK(status.error().text.find("42.patch") != std::string::npos);
  }
  CHECK(content_of(secret) == "the user's");
  CHECK(folder.entries() == std::vector<std::string>{"bashrc", "work"});
}

TEST_CASE("another name of the old file keeps what it had") {
  const ScratchFolder folder;
  const std::string work = folder.file("work"), secret = folder.file("bashrc");
  REQUIRE(::mkdir(work.c_str(), 0700) == 0);
  put_content(secret, "the user's");
  REQUIRE(::link(secret.c_str(), (work + "/42.patch").c_str()) == 0);
  const AgentsFolder agents(work);
  CHECK_FALSE(open_output(work + "/42.patch"));
  REQUIRE(write_output(work + "/42.patch", "diff"));
  CHECK(content_of(secret) == "the user's");
  CHECK(content_of(work + "/42.patch") == "diff");
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

TEST_CASE("devices and what this process has open are written to") {
  const ScratchFolder folder;
  REQUIRE(write_output("/dev/null", "page"));
  CHECK_FALSE(write_output("/dev/full", "page"));
  put_content(folder.file("log"), "before\n");
  const orch::base::Fd log(::open(folder.file("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  REQUIRE(write_output("/proc/self/fd/" + std::to_string(log.get()), "page\n"));
  REQUIRE(write_output("/dev/fd/" + std::to_string(log.get()), "again\n"));
  CHECK(content_of(folder.file("log")) == "before\npage\nagain\n");
}

TEST_CASE("a folder, or a place in none, is an error of usage that names it") {
  const ScratchFolder folder;
  for (const std::string& place : {folder.path(), folder.file("none/x"), folder.file("none/")}) {
    const auto status = write_output(place, "page");
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::kUsage);
    CHECK(status.error().text.find(place) != std::string::npos);
  }
}

TEST_CASE("a file where a folder for output is wanted is named once") {
  const ScratchFolder scratch;
  put_content(scratch.file("page"), "text");
  const auto folder = OutputFolder::make(scratch.file("page"), "--artifacts");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().text ==
        "--artifacts " + scratch.file("page") + ": " + scratch.file("page") +
            " is not a folder (links are not followed); name a folder that orch may write to");
}
