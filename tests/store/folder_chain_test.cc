#include "store/folder_chain.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("folders overlap by their paths, and by what they are under another name") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.file("a/sub"));
  std::filesystem::create_directories(scratch.file("a2"));
  const FolderPlace a = folder_place(scratch.file("a"));
  CHECK(a.chain.size() > 2);
  CHECK(overlap(a, a));
  CHECK(overlap(a, folder_place(scratch.file("a/sub"))));
  CHECK(overlap(folder_place(scratch.file("a/sub")), a));
  CHECK(overlap(a, folder_place(scratch.path())));
  CHECK_FALSE(overlap(a, folder_place(scratch.file("a2"))));
  CHECK(overlap(a, {scratch.file("a/gone"), {}}));
  CHECK_FALSE(overlap(a, {"/elsewhere", {}}));
  REQUIRE(std::rename(scratch.file("a").c_str(), scratch.file("b").c_str()) == 0);
  CHECK(overlap(a, folder_place(scratch.file("b/sub"))));
  CHECK(folder_chain(scratch.file("a")).empty());
}
