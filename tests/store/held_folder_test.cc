#include "store/held_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "scratch.h"

using namespace orch::store;
namespace fs = std::filesystem;

TEST_CASE("a folder is found where it was moved to, and nothing in its place is taken for it") {
  const ScratchFolder scratch;
  const std::string there = scratch.file("there"), elsewhere = scratch.file("elsewhere");
  fs::create_directories(there + "/in/it");
  const HeldFolder held(there + "/in/it");
  CHECK(held.path() == there + "/in/it");
  fs::rename(there, elsewhere);
  CHECK(held.path() == elsewhere + "/in/it");
  fs::create_directories(there + "/in/it");
  CHECK(held.path() == elsewhere + "/in/it");
  fs::remove_all(elsewhere);
  CHECK(held.path() == there + "/in/it");
}

TEST_CASE("a folder that is not there is where it was said to be") {
  const ScratchFolder scratch;
  CHECK(HeldFolder(scratch.file("none")).path() == scratch.file("none"));
}
