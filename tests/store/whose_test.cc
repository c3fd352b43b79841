// Whose a file is decides how it is opened (HACKING.md, "Who may have written the file?"). For each
// kind a file is planted that its function refuses and that of another kind would take, so that a
// wrong choice shows.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/author.h"
#include "scratch.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/output.h"
#include "store/output_folder.h"
#include "store/own_file.h"
#include "store/repository_file.h"

using namespace orch::store;

namespace {

constexpr size_t kMost = 1000;  // bytes

// A folder in which agents write, with a link out of it to a file of the user's, and a pipe.
class Planted {
 public:
  Planted() {
    real_ = std::filesystem::canonical(folder_.path()).string();
    std::filesystem::create_directories(at("work"));
    put_content(at("profile"), "the user's");
    REQUIRE(::symlink("../profile", at("work/link").c_str()) == 0);
    REQUIRE(::mkfifo(at("work/pipe").c_str(), 0600) == 0);
    put_content(at("work/large"), std::string(kMost + 1, 'x'));
    put_content(at("open"), "anybody's");
    REQUIRE(::chmod(at("open").c_str(), 0666) == 0);
    orch::base::know_folder_of_agents(at("work"));
  }
  ~Planted() { orch::base::know_nothing(); }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

  std::string at(const std::string& name) const { return real_ + "/" + name; }
  Owners owners() const { return {::geteuid(), std::nullopt}; }

 private:
  ScratchFolder folder_;
  std::string real_;
};

}  // namespace

TEST_CASE("orch's own state is a regular file of bounded size") {
  const Planted planted;
  CHECK_FALSE(read_regular_file(planted.at("work/pipe"), kMost));
  CHECK_FALSE(read_regular_file(planted.at("work/large"), kMost));
  CHECK(read_regular_file(planted.at("profile"), kMost));
}

TEST_CASE("what an agent has written is that, and no link either") {
  const Planted planted;
  CHECK_FALSE(read_regular_file(planted.at("work/link"), kMost, Links::kRefused));
  CHECK_FALSE(read_regular_file(planted.at("work/pipe"), kMost, Links::kRefused));
  CHECK(read_regular_file(planted.at("work/link"), kMost));  // as if it were orch's own
}

TEST_CASE("the user's configuration is what nobody else can write") {
  const Planted planted;
  CHECK_FALSE(read_own_file(planted.at("open"), planted.owners(), kMost));
  CHECK(read_own_file(planted.at("profile"), planted.owners(), kMost));
  CHECK(read_regular_file(planted.at("open"), kMost));  // as if it were orch's own
}

TEST_CASE("a repository's file is in it, by no link") {
  const Planted planted;
  CHECK_FALSE(read_inside(planted.at("work"), "link", planted.owners()));
  CHECK_FALSE(read_inside(planted.at("work"), "../profile", planted.owners()));
  CHECK_FALSE(read_inside(planted.at("work"), "pipe", planted.owners()));
  CHECK(
      read_own_file(planted.at("work/link"), planted.owners(), kMost));  // as if it were the user's
}

TEST_CASE("output that a person has named goes through no link of an agent's") {
  const Planted planted;
  CHECK_FALSE(write_output(planted.at("work/link"), "x"));
  CHECK_FALSE(open_output(planted.at("work/link")));
  CHECK_FALSE(OutputFolder::make(planted.at("work/link/x"), "--artifacts"));
  CHECK(content_of(planted.at("profile")) == "the user's");
}

TEST_CASE("what is written replaces a planted link, and does not follow it") {
  const Planted planted;
  REQUIRE(write_file(planted.at("work/link"), "x"));  // as if it were orch's own
  CHECK(content_of(planted.at("profile")) == "the user's");
  struct stat info {};
  REQUIRE(::lstat(planted.at("work/link").c_str(), &info) == 0);
  CHECK(S_ISREG(info.st_mode));
}
