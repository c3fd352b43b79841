#include "store/own_file.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scratch.h"

using namespace orch;
using namespace orch::store;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

struct Config {
  Config() {
    fs::create_directories(folder.file("orch"));
    ::chmod(folder.file("orch").c_str(), 0700);
    std::ofstream(path) << "{}";
    ::chmod(path.c_str(), 0600);
  }
  std::string trouble(Owners owners = {::geteuid(), std::nullopt}) const {
    const auto text = read_own_file(path, owners, 64);
    if (text) return "";
    CHECK(text.error().code == base::ErrorCode::kUsage);
    return text.error().text;
  }
  ScratchFolder folder;
  std::string path = folder.file("orch/config.json");
};

}  // namespace

TEST_CASE("a file of the user's own that nobody else can write is read") {
  const Config config;
  CHECK(config.trouble().empty());
  REQUIRE(::chmod(config.path.c_str(), 0644) == 0);
  CHECK(config.trouble().empty());
  const std::string elsewhere = config.folder.file("orch/real.json");
  fs::rename(config.path, elsewhere);
  fs::create_symlink(elsewhere, config.path);
  CHECK(config.trouble().empty());
}

TEST_CASE("a file that others can write, or that is in a folder which they can, is refused") {
  const Config config;
  for (const mode_t mode : {0602, 0666}) {
    REQUIRE(::chmod(config.path.c_str(), mode) == 0);
    CHECK_THAT(config.trouble(),
               Contains("can be written by others") && Contains("chmod go-w " + config.path));
  }
  REQUIRE(::chmod(config.path.c_str(), 0600) == 0);
  for (const mode_t mode : {0777, 01777}) {
    REQUIRE(::chmod(config.folder.file("orch").c_str(), mode) == 0);
    CHECK_THAT(config.trouble(), Contains("chmod go-w " + config.folder.file("orch")));
  }
  REQUIRE(::chmod(config.folder.file("orch").c_str(), 0700) == 0);
  fs::create_directories(config.folder.file("open"));
  ::chmod(config.folder.file("open").c_str(), 0777);
  fs::rename(config.path, config.folder.file("open/config.json"));
  fs::create_symlink(config.folder.file("open/config.json"), config.path);
  CHECK_THAT(config.trouble(), Contains("can be written by others"));
}

TEST_CASE("what a group can write is refused, unless it is the owner's private one") {
  const Config config;
  REQUIRE(::chmod(config.path.c_str(), 0660) == 0);
  const passwd* user = ::getpwuid(::geteuid());
  const group* own = ::getgrgid(::getegid());
  const bool is_private = user != nullptr && own != nullptr && user->pw_gid == own->gr_gid &&
                          std::string(user->pw_name) == own->gr_name && own->gr_mem[0] == nullptr;
  REQUIRE(::chown(config.path.c_str(), ::geteuid(), ::getegid()) == 0);
  CHECK(config.trouble().empty() == is_private);
  if (::geteuid() != 0) return;  // only root can give a file to a group that it is not in
  constexpr gid_t kOthers = 1;
  REQUIRE(::chown(config.path.c_str(), 0, kOthers) == 0);
  CHECK_THAT(config.trouble(), Contains("chmod go-w " + config.path));
  REQUIRE(::chmod(config.path.c_str(), 0600) == 0);
  REQUIRE(::chown(config.folder.file("orch").c_str(), 0, kOthers) == 0);
  REQUIRE(::chmod(config.folder.file("orch").c_str(), 0770) == 0);
  CHECK_THAT(config.trouble(), Contains("chmod go-w " + config.folder.file("orch")));
}

TEST_CASE("a file with a second name is refused, because others may write by that") {
  const Config config;
  fs::create_hard_link(config.path, config.folder.file("other.json"));
  CHECK_THAT(config.trouble(), Contains("has a second name (a hard link), and is not obeyed"));
  fs::remove(config.folder.file("other.json"));
  CHECK(config.trouble().empty());
}

TEST_CASE("another user's file is refused, and so is what is not a file") {
  const Config config;
  CHECK_THAT(config.trouble({::geteuid() + 1, std::nullopt}),
             Contains("belongs to another user (uid " + std::to_string(::geteuid()) + ")"));
  fs::remove(config.path);
  CHECK_THAT(config.trouble(), Contains("cannot read"));
  REQUIRE(::mkfifo(config.path.c_str(), 0600) == 0);
  CHECK_THAT(config.trouble(), Contains("not a file"));
  fs::remove(config.path);
  std::ofstream(config.path) << std::string(65, ' ');
  CHECK_THAT(config.trouble(), Contains("64"));
}
