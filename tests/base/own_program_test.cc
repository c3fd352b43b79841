// orch starts no helper program that an agent may have written.
#include "base/own_program.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/author.h"

namespace fs = std::filesystem;
using namespace orch::base;

namespace {

// Two folders with a program each, both on $PATH; agents write to the first one.
class Shelf {
 public:
  Shelf() {
    std::string made = (fs::current_path() / "shelf-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(made.data())).string();
    put("project/.venv/bin/tool");
    put("usr/bin/tool");
    before_ = ::getenv("PATH");
    set_path(path_ + "/project/.venv/bin:" + path_ + "/usr/bin");
    know_folder_of_agents(path_ + "/project");
  }
  ~Shelf() {
    know_nothing();
    set_path(before_);
    fs::remove_all(path_);
  }
  void put(const std::string& name) const {
    const fs::path file = path_ + "/" + name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n";
    ::chmod(file.c_str(), 0755);
  }
  static void set_path(const std::string& value) { ::setenv("PATH", value.c_str(), 1); }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_, before_;
};

}  // namespace

TEST_CASE("a program where agents write is refused by name, not passed over") {
  const Shelf shelf;
  const auto program = own_program("tool");
  REQUIRE_FALSE(program);
  CHECK(program.error().code == ErrorCode::kUsage);
  CHECK(program.error().text.find(shelf.path("project/.venv/bin/tool")) != std::string::npos);
  CHECK(own_path_variable() == shelf.path("usr/bin"));
}

TEST_CASE("a link to such a program, or from such a folder, is refused as well") {
  const Shelf shelf;
  fs::create_directories(shelf.path("home/bin"));
  fs::create_symlink(shelf.path("project/.venv/bin/tool"), shelf.path("home/bin/tool"));
  Shelf::set_path(shelf.path("home/bin"));
  CHECK_FALSE(own_program("tool"));
  fs::create_symlink(shelf.path("usr/bin/tool"), shelf.path("project/.venv/bin/other"));
  Shelf::set_path(shelf.path("project/.venv/bin"));
  CHECK_FALSE(own_program("other"));
  fs::create_directory_symlink(shelf.path("project/.venv/bin"), shelf.path("linked"));
  Shelf::set_path(shelf.path("linked"));
  CHECK_FALSE(own_program("tool"));
}

TEST_CASE("only absolute folders of PATH count, and a program that is there is found") {
  const Shelf shelf;
  Shelf::set_path("project/.venv/bin::.:" + shelf.path("usr/bin"));
  CHECK(own_program("tool").value() == shelf.path("usr/bin/tool"));
  const auto missing = own_program("no-such-tool");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::kNotFound);
}

TEST_CASE("an agent's program lies where agents write by its name, or by what that is a link to") {
  const Shelf shelf;
  CHECK(folder_of_agents_with(shelf.path("project/.venv/bin/tool")) == shelf.path("project"));
  CHECK(folder_of_agents_with(shelf.path("usr/bin/tool")).empty());
  fs::create_symlink(shelf.path("project/.venv/bin/tool"), shelf.path("usr/bin/other"));
  CHECK(folder_of_agents_with(shelf.path("usr/bin/other")) == shelf.path("project"));
  fs::create_symlink(shelf.path("usr/bin/tool"), shelf.path("project/out"));
  CHECK(folder_of_agents_with(shelf.path("project/out")) == shelf.path("project"));
}
