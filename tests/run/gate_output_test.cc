#include "run/gate_output.h"

#include <catch2/catch.hpp>

namespace orch::run {
namespace {

std::string shown(std::string_view bytes) {
  GateOutput output;
  output.feed(bytes);
  GateOutput bytewise;
  for (const char byte : bytes) bytewise.feed({&byte, 1});
  CHECK(bytewise.text() == output.text());
  return output.text();
}

TEST_CASE("a gate's output is text, whatever it holds") {
  CHECK(shown("two\nlines\n") == "two\nlines\n");
  CHECK(shown("\x1b[1;31mred\x1b[0m and \x1b]0;a title\x07plain") == "red and plain");
  CHECK(shown("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(shown("\x1bPq#0;2;0\x1b\\after") == "after");
  CHECK(shown("\x1b(Bascii \x1b=x") == "ascii x");
  CHECK(shown("10%\r20%\r\ndone\r") == "10%\n20%\ndone");
  CHECK(shown("bell\a back\b\b del\x7f tab\t.") == "bell back del tab\t.");
  CHECK(shown("caf\xc3\xa9 \xff") == "café \xef\xbf\xbd");
  CHECK(shown("\xc2\x9b"
              "31m")
            .find("\xc2\x9b") == std::string::npos);  // a C1 CSI
  CHECK(shown("a\xe2\x80\xae"
              "b")
            .find("\xe2\x80\xae") == std::string::npos);  // it reverses the order of the text
}

TEST_CASE("a sequence that nobody ends hides one line at most") {
  CHECK(shown("\x1b]0;never ended\nFAILED\n") == "\nFAILED\n");
  CHECK(shown("\x1b[31\nFAILED") == "\nFAILED");
  CHECK(shown("\x1b\nFAILED") == "\nFAILED");
}

TEST_CASE("of a flood the beginning and the end are kept") {
  GateOutput output;
  output.feed("the first line\n");
  const std::string line(99, 'x');
  for (int i = 0; i < 100'000; ++i) output.feed(line + "\n");
  output.feed("the last line\n");
  const std::string text = output.text();
  CHECK(text.size() < GateOutput::kHeadBytes + GateOutput::kTailBytes + 100);
  CHECK(text.starts_with("the first line\n"));
  CHECK(text.ends_with("the last line\n"));
  const size_t kept = GateOutput::kHeadBytes + GateOutput::kTailBytes;
  const size_t all = 10'000'000 + 15 + 14;
  CHECK(text.find("[" + std::to_string(all - kept) + " bytes are left out here]") !=
        std::string::npos);
}

TEST_CASE("what is told of a gate's output are its last lines") {
  GateOutput output;
  SECTION("all of what is short") {
    output.feed("\n\none\ntwo\n\n");
    CHECK(output.tail() == "one\ntwo");
  }
  SECTION("nothing of nothing") { CHECK(output.tail().empty()); }
  SECTION("so many lines") {
    for (int i = 0; i < 200; ++i) output.feed(std::to_string(i) + "\n");
    CHECK(output.tail().starts_with("140\n"));
    CHECK(output.tail().ends_with("\n199"));
  }
  SECTION("so many bytes, from the beginning of a line on") {
    for (int i = 0; i < 50; ++i) output.feed("begin " + std::string(200, 'x') + "\n");
    CHECK(output.tail().size() <= GateOutput::kToldBytes);
    CHECK(output.tail().starts_with("begin "));
  }
  SECTION("of one long line its end, in whole characters") {
    for (int i = 0; i < 5'000; ++i) output.feed("é");
    CHECK(output.tail().size() <= GateOutput::kToldBytes);
    CHECK(output.tail().find("\xef\xbf\xbd") == std::string::npos);
  }
  SECTION("also where the end has only begun to be cut off") {
    output.feed(std::string(GateOutput::kHeadBytes - 1, 'a') + "\nthe end");
    CHECK(output.tail() == "the end");
  }
}

}  // namespace
}  // namespace orch::run
