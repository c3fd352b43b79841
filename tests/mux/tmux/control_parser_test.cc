#include "mux/tmux/control_parser.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using namespace orch::mux::tmux;

namespace {

// Records what the parser reports, one line each.
class Told final : public ControlSink {
 public:
  void on_pane_output(std::string_view pane, std::string_view bytes) override {
    if (!told.empty() && told.back().starts_with("output " + std::string(pane) + " ")) {
      told.back() += bytes;
    } else {
      told.push_back("output " + std::string(pane) + " " + std::string(bytes));
    }
  }
  void on_block(Block block) override {
    std::string text = block.ok ? "end" : "error";
    if (block.asked) text += " asked";
    for (const std::string& line : block.lines) text += "|" + line;
    told.push_back(text);
  }
  void on_notice(std::string_view name, std::string_view rest) override {
    told.push_back("notice " + std::string(name) + " " + std::string(rest));
  }
  std::vector<std::string> told;
};

std::vector<std::string> told_by(const std::string& text, size_t piece = std::string::npos) {
  ControlParser parser;
  Told sink;
  for (size_t at = 0; at < text.size(); at += std::min(piece, text.size())) {
    parser.feed(std::string_view(text).substr(at, piece), sink);
  }
  return sink.told;
}

// Escapes bytes as tmux does for a pane's output.
std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && c != '\\') {
      text += c;
      continue;
    }
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return text;
}

}  // namespace

TEST_CASE("every kind of line of the control protocol") {
  struct Row {
    const char* what;
    std::string text;
    std::vector<std::string> told;
  };
  const std::vector<Row> rows{
      {"output, escaped and raw",
       "%output %0 hi\\033[31m\\134x ä\\011\\015\\012\n",
       {"output %0 hi\033[31m\\x ä\t\r\n"}},
      {"output that is cut inside of a character",
       "%output %0 \xc3\n%output %0 \xa4\n",
       {"output %0 ä"}},
      {"output of two panes", "%output %0 a\n%output %1 b\n", {"output %0 a", "output %1 b"}},
      {"output with blanks at both ends", "%output %0  a \n", {"output %0  a "}},
      {"output of a backslash that begins no number", "%output %0 a\\9\\\n", {"output %0 a\\9\\"}},
      {"output with its age", "%extended-output %0 12 : abc : d\n", {"output %0 abc : d"}},
      {"... and with more than that to come",
       "%extended-output %0 12 x y : abc\n",
       {"output %0 abc"}},
      {"... without a colon", "%extended-output %0 12\n", {}},
      {"an answer", "%begin 17 260 1\none\ntwo\n%end 17 260 1\n", {"end asked|one|two"}},
      {"an answer to the command line", "%begin 17 260 0\n%end 17 260 0\n", {"end"}},
      {"a refusal", "%begin 17 9 1\nno buffer x\n%error 17 9 1\n", {"error asked|no buffer x"}},
      {"a pane that shows ends of answers",
       "%begin 17 9 1\n%end 1 2 1\n%end 17 8 1\n%exit\n%output %0 x\n%begin 17 9 1\n%end 17 9 1\n",
       {"end asked|%end 1 2 1|%end 17 8 1|%exit|%output %0 x|%begin 17 9 1"}},
      {"an answer that never ends", "%begin 17 9 1\n%end 17 9", {}},
      {"a begin without its words", "%begin 17\n%exit\n", {"notice exit "}},
      {"notices",
       "%session-changed $0 a b\n%pause %0\n%exit too far behind\n",
       {"notice session-changed $0 a b", "notice pause %0", "notice exit too far behind"}},
      {"output before a notice is told before it",
       "%output %0 a\n%pause %0\n%output %0 b\n",
       {"output %0 a", "notice pause %0", "output %0 b"}},
      {"what is no line of the protocol", "hello\n\n% \n%\n", {"notice  ", "notice  "}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(told_by(row.text) == row.told);
    CHECK(told_by(row.text, 1) == row.told);
  }
}

TEST_CASE("a pane's bytes come back as they were, in pieces of any size") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string bytes, text;
    for (int line = 0; line < 40; ++line) {
      std::string piece(random() % 90 + 1, '\0');
      for (char& c : piece) c = static_cast<char>(random() % 256);
      bytes += piece;
      text += "%output %3 " + escaped(piece) + "\n";
    }
    const std::vector<std::string> told = told_by(text, random() % 97 + 1);
    REQUIRE(told.size() == 1);
    CHECK(told[0] == "output %3 " + bytes);
  }
}

TEST_CASE("no input makes the parser fail, or keep more than it may") {
  const std::vector<std::string> words{
      "%begin 1 2 1", "%end 1 2 1", "%error 1 2 1", "%output %0 ", "%extended-output",
      " : ",          "\\033",      "\\0",          "\n",          "%",
      "%exit",        " "};
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    ControlParser parser;
    Told sink;
    for (int i = 0; i < 200; ++i) {
      std::string piece = words[random() % words.size()];
      if (random() % 4 == 0) piece = std::string(random() % 9, static_cast<char>(random() % 256));
      parser.feed(piece, sink);
    }
    parser.feed("\n%end 1 2 1\n%session-renamed $0 x\n", sink);
    REQUIRE_FALSE(sink.told.empty());
    CHECK(sink.told.back() == "notice session-renamed $0 x");
  }
}

TEST_CASE("a line without end is passed over, and an answer without end is cut") {
  ControlParser parser;
  Told sink;
  parser.feed("%output %0 ", sink);
  const std::string flood(ControlParser::kMaxLine, 'x');
  for (int i = 0; i < 3; ++i) parser.feed(flood, sink);
  parser.feed("\n%output %0 after\n", sink);
  CHECK(sink.told == std::vector<std::string>{"output %0 after"});

  sink.told.clear();
  parser.feed("%begin 1 2 1\n", sink);
  const std::string row = std::string(ControlParser::kMaxLine / 2, 'y') + "\n";
  for (size_t i = 0; i < 40; ++i) parser.feed(row, sink);
  parser.feed("%end 1 2 1\n", sink);
  REQUIRE(sink.told.size() == 1);
  CHECK(sink.told[0].size() <= ControlParser::kMaxBlock + 100);
}
