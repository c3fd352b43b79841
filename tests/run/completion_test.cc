#include "run/completion.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "base/text.h"
#include "cpu_time.h"

namespace orch::run {

using agent::Line;
using agent::Recorded;
using agent::Speaker;
namespace {

const std::string kKeyword = "LOOP_COMPLETE";

bool said(const std::vector<Line>& lines) {
  Completion completion(kKeyword);
  completion.begin_turn();
  for (const Line& line : lines) completion.on_line(line);
  return completion.said();
}

bool said_by(Speaker speaker) { return said({{kKeyword, speaker}}); }

bool said_in(std::string markdown, bool tool_after = false) {
  Completion completion(kKeyword);
  completion.begin_turn();
  completion.on_record({std::move(markdown), tool_after});
  return completion.said();
}

// Replaces KEY by the keyword.
std::string with_keyword(std::string text) {
  for (size_t at = 0; (at = text.find("KEY", at)) != std::string::npos; at += kKeyword.size()) {
    text.replace(at, 3, kKeyword);
  }
  return text;
}

TEST_CASE("the keyword alone on a line of the agent's completes the run") {
  for (const std::string text :
       {"KEY", "KEY  ", "KEY\r", "**KEY**", "`KEY`", "__KEY__", "**`KEY`**"}) {
    INFO(text);
    CHECK(said({{with_keyword(text)}}));
    CHECK(said_in(with_keyword(text)));
    CHECK(said_in(with_keyword("All done.\n\n" + text + "\n")));
  }
}

TEST_CASE("the keyword of anybody else does not") {
  CHECK(said_by(Speaker::kAgent));
  CHECK_FALSE(said_by(Speaker::kUser));
  CHECK_FALSE(said_by(Speaker::kTool));
  CHECK_FALSE(said_by(Speaker::kNotice));
  CHECK_FALSE(said_by(Speaker::kChrome));
}

TEST_CASE("the keyword among other words, quoted, listed or set apart does not") {
  for (const std::string text : {"> KEY",
                                 "- KEY",
                                 "* KEY",
                                 "1. KEY",
                                 "  KEY",
                                 "    KEY",
                                 "\tKEY",
                                 "I shall say KEY when done.",
                                 "KEY.",
                                 "KEY is what I say",
                                 "\"KEY\"",
                                 "KEYD",
                                 "loop_complete",
                                 "LOOP_ COMPLETE",
                                 "",
                                 "****",
                                 "**",
                                 "`",
                                 "echo KEY",
                                 "**KEY",
                                 "KEY**",
                                 "# KEY",
                                 "│ KEY",
                                 "| KEY |",
                                 "~~KEY~~",
                                 "KEY KEY",
                                 "[KEY]",
                                 "<KEY>"}) {
    INFO(text);
    CHECK_FALSE(said({{with_keyword(text)}}));
    CHECK_FALSE(said_in(with_keyword(text)));
  }
}

TEST_CASE("a keyword of the user's own is taken literally") {
  Completion completion("all.done*");
  completion.on_record({"allXdone"});
  CHECK_FALSE(completion.said());
  completion.on_record({"all.done*"});
  CHECK(completion.said());
}

TEST_CASE("a keyword whose marks are its own is believed as it was said") {
  for (const char* keyword : {"__DONE__", "**DONE**", "`DONE`"}) {
    Completion completion(keyword);
    completion.on_record({keyword});
    CHECK(completion.said());
    completion.on_record({"DONE"});
    CHECK_FALSE(completion.said());
  }
}

TEST_CASE("what means something in Markdown is refused as a keyword") {
  for (const char* keyword : {"", " DONE", "DO\nNE", "**DONE**", "__DONE__", "`DONE`", "> DONE",
                              "```", "~~~", "# DONE", "| DONE |", "- DONE", "1. DONE", "+"}) {
    INFO(keyword);
    CHECK_FALSE(check_keyword(keyword).ok());
  }
  for (const char* keyword : {"LOOP_COMPLETE", "DONE!", "all done", "-DONE-", "1.DONE", "完了"}) {
    INFO(keyword);
    CHECK(check_keyword(keyword).ok());
  }
}

TEST_CASE("only the last words of a turn count") {
  const Line keyword{kKeyword};
  CHECK_FALSE(said({keyword, {"One more thing."}}));
  CHECK_FALSE(said({keyword, {"● Bash(ls)", Speaker::kTool}}));
  CHECK(said({{"Done."}, keyword, {""}, {"   "}}));
  CHECK(said({keyword, {"◆ the turn took 3 s", Speaker::kNotice}}));
  CHECK(said({keyword, {"One more thing."}, keyword}));
  CHECK(said({{"● Bash(ls)", Speaker::kTool}, {"", Speaker::kTool}, keyword}));
  CHECK(said({keyword, keyword}));
}

TEST_CASE("an empty line of a tool is no word of it") {
  CHECK(said({{kKeyword}, {"", Speaker::kTool}}));
}

TEST_CASE("a gap says nothing") {
  CHECK(said({{kKeyword}, {.text = "", .gap = true}}));
  CHECK_FALSE(said({{.text = kKeyword, .gap = true}}));
}

TEST_CASE("a message begins a turn: what was said before it does not count") {
  CHECK_FALSE(said({{kKeyword}, {"go on", Speaker::kUser}}));
  CHECK(said({{"go on", Speaker::kUser}, {kKeyword}}));
  CHECK(said({{"```"}, {"go on", Speaker::kUser}, {kKeyword}}));  // an open fence ends with it, too
}

TEST_CASE("a turn that begins forgets the one before, lines and record alike") {
  Completion completion(kKeyword);
  completion.on_line({kKeyword});
  CHECK(completion.said());
  completion.begin_turn();
  CHECK_FALSE(completion.said());
  completion.on_record({kKeyword});
  CHECK(completion.said());
  completion.begin_turn();
  CHECK_FALSE(completion.said());
  CHECK(completion.why().find("record") == std::string::npos);
}

TEST_CASE("the end of a sentence that goes on from the row before is not the keyword alone") {
  CHECK_FALSE(
      said({{"When all of this is done I shall say"}, {.text = kKeyword, .continues = true}}));
  CHECK(said({{"When all of this is done I shall say"}, {.text = kKeyword}}));
}

TEST_CASE("the agent's own record decides over the lines") {
  Completion completion(kKeyword);
  completion.on_line({kKeyword});
  completion.on_record({"```\n" + kKeyword + "\n```\n"});
  CHECK_FALSE(completion.said());
  CHECK(completion.why().find("record") != std::string::npos);
  completion.begin_turn();
  completion.on_line({.text = kKeyword, .continues = true});
  CHECK_FALSE(completion.said());
  completion.on_record({kKeyword});
  CHECK(completion.said());
}

TEST_CASE("a tool after the last words means that the agent was not done") {
  CHECK(said_in(kKeyword, false));
  CHECK_FALSE(said_in(kKeyword, true));
}

TEST_CASE("fences of lines on a screen") {
  const auto lines = [](std::initializer_list<const char*> texts) {
    std::vector<Line> all;
    for (const char* text : texts) all.push_back({with_keyword(text)});
    return all;
  };
  CHECK_FALSE(said(lines({"```", "KEY", "```"})));
  CHECK_FALSE(said(lines({"~~~", "KEY"})));
  CHECK_FALSE(said(lines({"```sh", "KEY"})));
  CHECK(said(lines({"```", "code", "```", "KEY"})));
  CHECK(said(lines({"``", "KEY"})));
  CHECK_FALSE(said(lines({"KEY", "```"})));
}

TEST_CASE("what a record says of the keyword, by its markdown") {
  struct Row {
    const char* markdown;
    bool said;
  };
  const Row rows[] = {
      {"", false},
      {"\n\n", false},
      {"KEY", true},
      {"\n\nKEY\n\n", true},
      {"Done.\r\n\r\nKEY\r\n", true},
      {"Done.\rKEY", false},
      // Words after the keyword.
      {"KEY\nand then", false},
      {"KEY\n\nand then", false},
      {"KEY\n---", false},
      {"KEY\n   \n\t\n", true},
      {"KEY\n\nKEY", true},
      {"KEY\nmore\nKEY", true},
      {"KEY\nmore\n> KEY", false},
      // Fenced code.
      {"```\nKEY\n```", false},
      {"```\nKEY", false},
      {"```\ncode\n```\nKEY", true},
      {"~~~\nKEY\n~~~", false},
      {"~~~\ncode\n~~~\nKEY", true},
      {"~~~\ncode\n```\nKEY", false},
      {"```\ncode\n~~~\nKEY", false},
      {"````\n```\nKEY\n````", false},
      {"````\n```\nKEY", false},
      {"````\ncode\n```\n````\nKEY", true},
      {"```\ncode\n`````\nKEY", true},
      {"```sh\ncode\n```\nKEY", true},
      {"```\ncode\n```sh\nKEY", false},
      {"~~~ text\ncode\n~~~\nKEY", true},
      {"  ```\ncode\n  ```\nKEY", true},
      {"```\ncode\n   ```  \nKEY", true},
      {"```\n\n\nKEY\n\n", false},
      // Text that looks like a fence and is none: code within a line, an indented block, the wrong
      // number of backquotes.
      {"```make test```\nKEY", true},
      {"``` a`b\nKEY", true},
      {"~~~ a`b\nKEY", false},
      {"Run it:\n\n    ```\n\nKEY", true},
      {"\t```\nKEY", true},
      {"```\ncode\n    ```\nKEY", false},
      // Fences in a list item; they end with it at the latest.
      {"- Run it:\n  ```sh\n  make\n  ```\nKEY", true},
      {"- ```sh\n  make\n  ```\nKEY", true},
      {"- ```sh\n  make\nKEY", true},
      {"- ```sh\n  make\n  KEY", false},
      {"10. Run it:\n    ```sh\n    make\n    ```\n\nKEY", true},
      {"- one\n  - two\n    ```\n    code\n    ```\nKEY", true},
      {"- - ```\n    code\n\nKEY", true},
      {"1. one\n\n       ```\n\nKEY", true},
      {"-\n  ```\n  code\n  ```\nKEY", true},
      {"-not an item ```\nKEY", true},
      {"`` not a fence\nKEY", true},
      // Quotations, also lazy ones, which go on until a blank line.
      {"> KEY", false},
      {">KEY", false},
      {"> You said:\nKEY", false},
      {"> You said:\n\nKEY", true},
      {"> You said:\n> \nKEY", false},
      {"1 > 2\nKEY", true},
      // Lists, tables, headings, code.
      {"- KEY", false},
      {"- one\n  KEY", false},
      {"1. one\n   KEY", false},
      {"- one\n\nKEY", true},
      {"| a |\n|---|\n| KEY |", false},
      {"# KEY", false},
      {"## Done\nKEY", true},
      {"    KEY", false},
      {"\tKEY", false},
      {" KEY", false},
      // Markup around the keyword.
      {"**KEY**", true},
      {"`KEY`", true},
      {"**`KEY`**", true},
      {"***", false},
      {"**KEY", false},
      {"<!-- KEY -->", false},
  };
  for (const Row& row : rows) {
    INFO(row.markdown);
    CHECK(said_in(with_keyword(row.markdown)) == row.said);
  }
}

TEST_CASE("why a turn was not complete is said in one line") {
  const auto why = [](std::string markdown, bool tool_after = false) {
    Completion completion(kKeyword);
    completion.on_record({std::move(markdown), tool_after});
    return completion.why();
  };
  CHECK(why("") == kKeyword + " was not said on a line of its own (by the agent's own record)");
  CHECK(why(kKeyword).find("stands alone") != std::string::npos);
  CHECK(why(kKeyword, true).find("came after") != std::string::npos);
  CHECK(why("```\n" + kKeyword).find("fence") != std::string::npos);
  CHECK(why("> " + kKeyword).find("was not said") != std::string::npos);
  CHECK(why("  " + kKeyword).find("set apart") != std::string::npos);
  Completion completion(kKeyword);
  completion.on_line({.text = kKeyword, .continues = true});
  CHECK(completion.why() == kKeyword + " ends a sentence that goes on from the row before");
  for (const std::string& text : {why(""), why(kKeyword), completion.why()}) {
    CHECK(text.find('\n') == std::string::npos);
  }
}

// The processor time that it takes to read a record.
std::chrono::nanoseconds cost(const std::string& markdown) {
  const auto begin = cpu_time();
  said_in(markdown);
  return cpu_time() - begin;
}

TEST_CASE("a megabyte of text is read in time that grows with its length") {
  constexpr size_t kBytes = size_t{1} << 20;
  for (const std::string piece :
       {"x", "word ", "\n", "```\n", "> \n", "KEY\n", "`", " ", "a line of the answer\n"}) {
    std::string text;
    while (text.size() < kBytes) text += with_keyword(piece);
    INFO(piece);
    CHECK(cost(text) < std::chrono::seconds(1));  // quadratic time would be minutes
    CHECK(said_in(text + "\n\n" + kKeyword) == (piece != "`"));
  }
}

TEST_CASE("our own messages name the keyword but never on a line of its own") {
  for (const std::string& message :
       {completion_instruction(kKeyword), continue_message(kKeyword)}) {
    CHECK(message.find(kKeyword) != std::string::npos);
    CHECK_FALSE(said_in(message));
    for (const std::string_view line : base::split_lines(message)) {
      CHECK_FALSE(said({{std::string(line)}}));
    }
  }
}

}  // namespace
}  // namespace orch::run
