#include "report/changes.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::report {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kPatch =
    "diff --git a/old.txt b/new.txt\nrename from old.txt\nrename to new.txt\n"
    "diff --git a/src/x.cc b/src/x.cc\nindex 1..2 100644\n--- a/src/x.cc\n+++ b/src/x.cc\n"
    "@@ -1,2 +1,2 @@\n-a < b;\n+a > b;\n+++i;\n same\n"
    "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nBinary files differ\n";

TEST_CASE("each file has its name, its counts and its lines") {
  const std::string html = changes_of(kPatch, 10'000);
  CHECK_THAT(html, Contains("<code>new.txt</code> <span class=\"n\">+0 -0</span>"));
  CHECK_THAT(html, Contains("<code>src/x.cc</code> <span class=\"n\">+2 -1</span>"));
  CHECK_THAT(html, Contains("<del>-a &lt; b;</del><ins>+a &gt; b;</ins><ins>+++i;</ins>"));
  CHECK_THAT(html, Contains("Binary files differ") && !Contains("index 1..2"));
  CHECK(changes_of("", 10'000).empty());
}

TEST_CASE("a long diff is cut, and the file says so") {
  std::string patch = "diff --git a/x b/x\n@@ -1 +1 @@\n";
  for (int i = 0; i < 1000; ++i) patch += "+some line\n";
  const std::string html = changes_of(patch, 2000);
  CHECK(html.size() < 2500);
  CHECK_THAT(html, Contains("+1,000 -0") && Contains("orch diff has the rest"));
}

}  // namespace
}  // namespace orch::report
