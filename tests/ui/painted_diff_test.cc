#include "ui/painted_diff.h"

#include <catch2/catch.hpp>

using orch::ui::painted_diff;

namespace {

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kEnd = "\x1b[m";

}  // namespace

TEST_CASE("lines of a diff have the colours of what they mean") {
  const std::string painted = painted_diff(
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@ f()\n-gone\n+made\n-more\n", true);
  CHECK(painted ==
        "\x1b[2mdiff --git a/x b/x\x1b[m\n\x1b[2m--- a/x\x1b[m\n\x1b[2m+++ b/x\x1b[m\n"
        "\x1b[33m@@ -1,2 +1 @@ f()\x1b[m\n" +
            std::string(kRed) + "-gone" + kEnd + "\n" + kGreen + "+made" + kEnd + "\n" + kRed +
            "-more" + kEnd + "\n");
}

TEST_CASE("content that looks like a header is content") {
  const std::string painted = painted_diff(
      "@@ -1,2 +1,2 @@\n--- a/forged\n+++ b/forged\n-@@ -1 +1 @@\n+x\n--- a/y\n", true);
  CHECK(painted.find(std::string(kRed) + "--- a/forged") != std::string::npos);
  CHECK(painted.find(std::string(kGreen) + "+++ b/forged") != std::string::npos);
  CHECK(painted.find("\x1b[2m--- a/y") != std::string::npos);
}

TEST_CASE("nothing in a diff reaches the terminal as a control") {
  const std::string painted = painted_diff(
      "--- \"a/\x1b[2J\"\n@@ -1 +1 @@\n-\x1b]0;owned\x07\r\n+\xc2\x9b"
      "31m\xff\xe2\x80\xae\n",
      false);
  for (const char* control : {"\x1b", "\x07", "\r", "\xc2\x9b", "\xff", "\xe2\x80\xae"}) {
    CHECK(painted.find(control) == std::string::npos);
  }
}

TEST_CASE("a diff that breaks off, or promises what it has not, is painted to its end") {
  for (const char* patch : {"@@ -1,99 +1,99 @@\n-x", "@@ -", "@@ -9999999999999999999999 +1 @@\n x",
                            "@@ -1,-5 +1,-5 @@\n+x\n", "\n\n", ""}) {
    CHECK_NOTHROW(painted_diff(patch, true));
  }
  CHECK(painted_diff("", true).empty());
}
