#include "store/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("read_file returns every byte") {
  const ScratchFolder folder;
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes.push_back(static_cast<char>(i * 7));
  put_content(folder.file("f"), bytes);
  const auto read = read_file(folder.file("f"), bytes.size());
  REQUIRE(read);
  CHECK(*read == bytes);
  CHECK(read_file("/dev/null", 0)->empty());
}

TEST_CASE("read_file refuses a larger file, also one without an end") {
  const ScratchFolder folder;
  put_content(folder.file("f"), "12345");
  const auto read = read_file(folder.file("f"), 4);
  REQUIRE_FALSE(read);
  CHECK(read.error().text == "read " + folder.file("f") + ": more than 4 bytes");
  CHECK_FALSE(read_file("/dev/zero", 1 << 20));
}

TEST_CASE("nothing is read of a file that is too large") {
  const ScratchFolder folder;
  put_content(folder.file("f"), "");
  REQUIRE(::truncate(folder.file("f").c_str(), off_t{1} << 40) == 0);
  const auto file = open_regular_file(folder.file("f"));
  REQUIRE(file);
  CHECK_FALSE(read_open_file(*file, "f", 1 << 20));
  CHECK(::lseek(file->get(), 0, SEEK_CUR) == 0);
}

TEST_CASE("read_file names what it could not read") {
  const ScratchFolder folder;
  CHECK(read_file(folder.file("none"), 10).error().text ==
        "open " + folder.file("none") + ": No such file or directory");
  CHECK(read_file(folder.path(), 10).error().text == "read " + folder.path() + ": Is a directory");
}

TEST_CASE("a regular file is read, a pipe is not, and a link only where it may be followed") {
  const ScratchFolder folder;
  put_content(folder.file("f"), "text");
  REQUIRE(::symlink(folder.file("f").c_str(), folder.file("link").c_str()) == 0);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(read_regular_file(folder.file("f"), 10, Links::kRefused).value() == "text");
  CHECK(read_regular_file(folder.file("link"), 10).value() == "text");
  CHECK_FALSE(read_regular_file(folder.file("link"), 10, Links::kRefused));
  CHECK_FALSE(read_regular_file(folder.file("pipe"), 10));
}

TEST_CASE("write_all says how much a full disk took") {
  const ScratchFolder folder;
  const std::string path = folder.file("f");
  auto file = open_for_writing(path, O_TRUNC);
  REQUIRE(file);
  size_t written = 99;
  {
    const FileSizeLimit full(10);
    const auto status = write_all(*file, path, "0123456789abcdef", &written);
    REQUIRE_FALSE(status);
    CHECK(status.error().text == "write " + path + ": File too large");
  }
  CHECK(written == 10);
  cut_file(*file, 4);
  CHECK(content_of(path) == "0123");
  CHECK(mode_of(path) == 0600);
}
