#include "setup/paths.h"

#include <catch2/catch.hpp>
#include <iostream>
#include <sstream>

#include "scene.h"
#include "setup/agents.h"

using namespace orch::setup;

TEST_CASE("the repository is the nearest folder above with .git in it, else the folder itself") {
  const Scene scene;
  scene.write("repository/src/deep/file", "");
  CHECK(repository_of(scene.file("repository/src/deep")) == scene.repository());
  CHECK(repository_of(scene.repository()) == scene.repository());
  CHECK(repository_of(scene.file("home")) == scene.file("home"));
  scene.write("repository/src/.git", "gitdir: elsewhere\n");  // in a worktree, .git is a file
  CHECK(repository_of(scene.file("repository/src/deep")) == scene.file("repository/src"));
}

TEST_CASE("a folder is told by its real path, or refused by the path given") {
  const Scene scene;
  CHECK(*resolve_folder(scene.file("home/../repository")) == scene.repository());
  const auto missing = resolve_folder(scene.file("missing"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().text.find("missing: No such file or directory") != std::string::npos);
  const auto file = resolve_folder(scene.write("file", ""));
  REQUIRE_FALSE(file);
  CHECK(file.error().text.find("Not a directory") != std::string::npos);
}

TEST_CASE("text is read byte for byte, from a file or standard input") {
  const Scene scene;
  const std::string bytes("one\r\ntwo\0three\n\n", 16);
  CHECK(*read_text(scene.write("text", bytes)) == bytes);
  std::istringstream typed("typed\n");
  std::streambuf* const before = std::cin.rdbuf(typed.rdbuf());
  CHECK(*read_text("-") == "typed\n");
  std::cin.rdbuf(before);
  CHECK_FALSE(read_text(scene.file("missing")));
  CHECK_FALSE(read_text(scene.repository()));
}

TEST_CASE("an agent is installed when its program can be executed along PATH, or is this binary") {
  Scene scene;
  scene.write("bin/text", "no program");
  scene.write_program("bin/tool");
  const auto installed = [](std::vector<std::string> program) {
    orch::adapters::Manifest manifest;
    manifest.program = std::move(program);
    return is_installed(manifest);
  };
  CHECK(installed({"tool"}));
  CHECK_FALSE(installed({"text"}));
  CHECK_FALSE(installed({"missing"}));
  CHECK(installed({scene.file("bin/tool")}));
  CHECK(installed({kSelf, "demo-agent"}));
  CHECK(installed({}));
}
