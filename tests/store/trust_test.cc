#include "store/trust.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "scratch.h"

using namespace orch;
using store::Standing;
using store::TrustedFiles;

TEST_CASE("a file is trusted by its path and its content") {
  TrustedFiles files;
  CHECK(files.standing_of("/r/a", "one") == Standing::kUnknown);
  files.trust("/r/a", "one", "2026-01-01T00:00:00Z");
  CHECK(files.standing_of("/r/a", "one") == Standing::kTrusted);
  CHECK(files.standing_of("/r/a", "two") == Standing::kChanged);
  CHECK(files.standing_of("/r/b", "one") == Standing::kUnknown);
  files.trust("/r/a", "two", "2026-01-02T00:00:00Z");
  CHECK(files.standing_of("/r/a", "one") == Standing::kChanged);
  CHECK(files.entries().size() == 1);
}

TEST_CASE("a file or all files of a folder are forgotten, and no others") {
  TrustedFiles files;
  for (const char* path : {"/r/b", "/r/a", "/rest", "/s/a"}) files.trust(path, "x", "");
  CHECK(files.entries().front().path == "/r/a");
  CHECK(files.revoke("/r") == 2);
  CHECK(files.revoke("/s/a") == 1);
  CHECK(files.revoke("/nowhere") == 0);
  CHECK(files.entries().size() == 1);
}

TEST_CASE("the list is kept in a file for this user alone") {
  const ScratchFolder scratch;
  const std::string list = scratch.file("orch/trust.json");
  CHECK(TrustedFiles::load(list)->entries().empty());
  REQUIRE(TrustedFiles::update(list, [](TrustedFiles& files) {
    files.trust("/r/a\xE2\x80\xAE", "one", "2026-01-01T00:00:00Z");
  }));
  REQUIRE(TrustedFiles::update(list, [](TrustedFiles& files) { files.trust("/r/b", "two", ""); }));
  CHECK(mode_of(list) == 0600);
  CHECK(mode_of(scratch.file("orch")) == 0700);
  const auto read = TrustedFiles::load(list);
  REQUIRE(read);
  CHECK(read->standing_of("/r/a\xE2\x80\xAE", "one") == Standing::kTrusted);
  CHECK(read->standing_of("/r/b", "two") == Standing::kTrusted);
}

TEST_CASE("a list that others may write, or that is none, is believed in nothing") {
  const ScratchFolder scratch;
  const std::string list = scratch.file("trust.json");
  put_content(list, R"({"files": []})");
  REQUIRE(::chmod(list.c_str(), 0666) == 0);
  CHECK_FALSE(TrustedFiles::load(list));
  REQUIRE(::chmod(list.c_str(), 0600) == 0);
  CHECK(TrustedFiles::load(list));
  for (const char* text : {"", "[]", "{}", R"({"files": [{"path": "/a"}]})", R"({"files": {}})"}) {
    put_content(list, text);
    CHECK_FALSE(TrustedFiles::load(list));
  }
}
