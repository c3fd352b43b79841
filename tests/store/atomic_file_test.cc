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
