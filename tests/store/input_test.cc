#include "store/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/author.h"
#include "scratch.h"
#include "store/file_io.h"

using namespace orch;
using namespace orch::store;

namespace {

// Agents write in the folder "project" of a scratch folder.
struct Desk {
  Desk() {
    std::filesystem::create_directory(folder.file("project"));
    base::know_folder_of_agents(std::filesystem::canonical(folder.file("project")).string());
  }
  ~Desk() { base::know_nothing(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  std::string file(const std::string& name) const { return folder.file(name); }

  ScratchFolder folder;
};

std::string content(const std::string& path) {
  const base::Result<base::Fd> file = open_input(path);
  if (!file) return file.error().text;
  return read_open_file(*file, path, 100).value();
}

}  // namespace

TEST_CASE(
    "an agent's pipe is refused as input, by its name or by a link, and keeps nobody waiting") {
  const Desk desk;
  REQUIRE(::mkfifo(desk.file("project/pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink(desk.file("project/pipe"), desk.file("link"));
  for (const char* name : {"project/pipe", "link"}) {
    const base::Result<base::Fd> file = open_input(desk.file(name));
    REQUIRE_FALSE(file);
    CHECK(file.error().code == base::ErrorCode::kUsage);
    CHECK(file.error().text == "cannot read " + desk.file(name) +
                                   ": it is not a regular file, where others than you may write");
  }
}

TEST_CASE("the user's own pipe is read, by its name or as a descriptor") {
  const Desk desk;
  const std::string path = desk.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&path] { std::ofstream(path) << "words"; });
  CHECK(content(path) == "words");
  writer.join();
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  REQUIRE(::write(ends[1], "more", 4) == 4);
  REQUIRE(::close(ends[1]) == 0);
  CHECK(content("/dev/fd/" + std::to_string(ends[0])) == "more");
  REQUIRE(::close(ends[0]) == 0);
}

TEST_CASE("regular files are read wherever they lie, and an error names the file") {
  const Desk desk;
  std::ofstream(desk.file("project/text")) << "an agent's";
  std::ofstream(desk.file("text")) << "the user's";
  CHECK(content(desk.file("project/text")) == "an agent's");
  CHECK(content(desk.file("text")) == "the user's");
  CHECK(content(desk.file("none")) == "read " + desk.file("none") + ": No such file or directory");
  CHECK(content(desk.file("text/x")) == "read " + desk.file("text/x") + ": Not a directory");
  CHECK(content(desk.file("project")) == "read " + desk.file("project") + ": Is a directory");
  std::filesystem::create_symlink(desk.file("text"), desk.file("project/out"));
  CHECK(content(desk.file("project/out")).find("leads out of it") != std::string::npos);
}
