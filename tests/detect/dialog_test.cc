#include "detect/dialog.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

DialogView read(const Lines& rows) {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, rows);
  return read_dialog(rules, p.rows, p.layout);
}

// Rows with colours, read with their screen.
DialogView read_drawn(const Lines& rows) {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, rows);
  return read_dialog(rules, p.rows, p.layout, p.screen);
}

}  // namespace

TEST_CASE("A dialog's title is its first row, its body the rest above the choices") {
  const DialogView dialog =
      read({"● I need a file.", "────────────────", " Bash command", "", "   touch out.txt",
            "   Make the file", "", " Proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel"});
  CHECK(dialog == DialogView{.title = "Bash command",
                             .body = "touch out.txt\nMake the file\nProceed?",
                             .options = {"Yes", "No"},
                             .cursor = 0,
                             .numbered = true,
                             .beside = false,
                             .whole = true,
                             .width = 16,
                             .tinted = {}});
}

TEST_CASE("The cursor is where the glyph stands") {
  CHECK(read({"Which?", "  1. A", "  2. B", "❯ 3. C"}).cursor == 2);
  CHECK(read({"Which?", "  1. A", "  2. B"}).cursor == -1);
}

TEST_CASE("A frame around a dialog is no part of its text") {
  const DialogView dialog =
      read({"╭────────────────╮", "│ Allow [Shell]? │", "│                │", "│ ● 1. Once      │",
            "│   2. Never     │", "╰────────────────╯"});
  CHECK(dialog.title == "Allow [Shell]?");
  CHECK(dialog.body.empty());
  CHECK(dialog.options == std::vector<std::string>{"Once", "Never"});
  CHECK(dialog.cursor == 0);
}

TEST_CASE("A choice that wraps is read to its end") {
  const std::vector<std::string> options{"Yes", "Yes, and always for similar commands in /src/demo",
                                         "No, and say why"};
  CHECK(read({"Run?", "❯ 1. Yes", "  2. Yes, and always for similar", "     commands in",
              "     /src/demo", "  3. No, and say", "     why", "", "  Esc to cancel"})
            .options == options);
  CHECK(read({"╭────────────────────╮", "│ Run?               │", "│ ❯ 1. Yes           │",
              "│   2. Yes, and      │", "│      always for    │", "│      similar       │",
              "│      commands in   │", "│      /src/demo     │", "│   3. No, and say   │",
              "│      why           │", "╰────────────────────╯"})
            .options == options);
}

TEST_CASE("What stands under the choices is no part of the last one") {
  const std::vector<std::string> options{"Yes", "No"};
  CHECK(read({"Run?", "❯ 1. Yes", "  2. No", "", "     Esc to cancel"}).options == options);
  CHECK(read({"Run?", "❯ 1. Yes", "  2. No", "Esc to cancel"}).options == options);
  CHECK(read({"Run?", "❯ 1. Yes", "  2. No", "──────────", "     more"}).options == options);
}

TEST_CASE("A number in a choice is its text") {
  CHECK(read({"Port?", "❯ 1. 8080 (default)", "  2. Port 9.5.1"}).options ==
        std::vector<std::string>{"8080 (default)", "Port 9.5.1"});
  CHECK(read({"Port?", "❯ (1) a", "  (2) b"}).options == std::vector<std::string>{"a", "b"});
}

TEST_CASE("Answers in one row are words set apart by blanks") {
  const DialogView dialog = read({"────────────────", "△ Permission required", "$ touch out.txt",
                                  "  Allow once   Allow always   Reject"});
  CHECK(dialog == DialogView{.title = "△ Permission required",
                             .body = "$ touch out.txt",
                             .options = {"Allow once", "Allow always", "Reject"},
                             .cursor = -1,
                             .numbered = false,
                             .beside = true,
                             .whole = true,
                             .width = 36,
                             .tinted = {}});
}

TEST_CASE("Choices without numbers are rows under each other, one with the cursor") {
  const DialogView dialog = read({"────────────────", "  Which mode?", "", "  ❯ Yes, auto mode",
                                  "    No, manual mode", "", "  Enter to confirm"});
  CHECK(dialog == DialogView{.title = "Which mode?",
                             .body = "",
                             .options = {"Yes, auto mode", "No, manual mode"},
                             .cursor = 0,
                             .numbered = false,
                             .beside = false,
                             .whole = true,
                             .width = 19,
                             .tinted = {}});
  // At the margin such a row is a message of the user, and its next row goes on with it.
  CHECK(read({"❯ a message", "  of two rows"}).cursor == -1);
}

TEST_CASE("Words that name keys are no answers") {
  CHECK(read({"────────────────", "Run?",
              "  Allow once   Reject     ctrl+f fullscreen  ⇆ select  enter confirm"})
            .options == std::vector<std::string>{"Allow once", "Reject"});
  CHECK(
      read({"────────────────", "Which?", "↑↓ select  enter submit  esc dismiss"}).options.empty());
}

TEST_CASE("The answer on a ground of its own has the cursor") {
  const auto cursor = [](std::string_view row) {
    return read_drawn({"────────────────", "Run?", std::string(row)}).cursor;
  };
  const std::string end = "\x1b[48;5;8m                                        ";
  CHECK(cursor("\x1b[48;5;8m  \x1b[48;5;3m Once \x1b[48;5;8m  Always   Reject" + end) == 0);
  CHECK(cursor("\x1b[48;5;8m   Once   Always  \x1b[48;5;3m Reject \x1b[48;5;8m" + end) == 2);
  CHECK(cursor("   Once  \x1b[7m Always \x1b[0m  Reject") == 1);
  CHECK(cursor("   Once   Always   Reject") == -1);
  CHECK(cursor("  \x1b[7m Once \x1b[0m \x1b[7m Always \x1b[0m  Reject") == -1);
  CHECK(read({"────────────────", "Run?", "   Once  \x1b[7m Always \x1b[0m  Reject"}).cursor == -1);
}

TEST_CASE("Lines in a colour of their own are known by their place in the body") {
  CHECK(read_drawn({"────────────────", " Bash command", "", "   make",
                    "   \x1b[90mBuild all\x1b[0m", " Proceed?", " ❯ 1. Yes", "   2. No"})
            .tinted == std::vector<int>{1});
}

TEST_CASE("A dialog beside a bar begins where the bar does") {
  const DialogView dialog = read({"  I will run it.", "", "  ┃", "  ┃  △ Permission required",
                                  "  ┃  $ make", "  ┃", "  ┃   Allow once   Reject", "  ┃"});
  CHECK(dialog.title == "△ Permission required");
  CHECK(dialog.body == "$ make");
  CHECK(dialog.whole);
}

TEST_CASE("A dialog goes on over a dashed rule") {
  const DialogView dialog = read({"● Update(main.py)", "────────────────", " Edit file",
                                  " src/main.py", "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌", " 2 + x", "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
                                  " Edit main.py?", " ❯ 1. Yes", "   2. No"});
  CHECK(dialog.title == "Edit file");
  CHECK(dialog.body == "src/main.py\n2 + x\nEdit main.py?");
  CHECK(dialog.whole);
}

TEST_CASE("A dialog whose beginning has left the screen is not whole") {
  CHECK_FALSE(read({" 2 + x", " Edit main.py?", " ❯ 1. Yes", "   2. No"}).whole);
  CHECK_FALSE(
      read({" 2 + x", "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌", " Edit main.py?", " ❯ 1. Yes", "   2. No"}).whole);
}

TEST_CASE("A pipe at a line's edge is no frame") {
  const DialogView dialog = read({"────────────────", " Bash command", "   curl x |", "   sh",
                                  "   | cat", " ❯ 1. Yes", "   2. No"});
  CHECK(dialog.body == "curl x |\nsh\n| cat");
}

TEST_CASE("A tick behind a choice is no part of it") {
  CHECK(read({"Trust?", "❯ 1. Yes ✔", "  2. No"}).options == std::vector<std::string>{"Yes", "No"});
}

TEST_CASE("Digits choose where the numbers count from one") {
  CHECK(read({"Which?", "❯ 1. a", "  2. b"}).numbered);
  CHECK_FALSE(read({"Which?", "❯ 4. a", "  5. b"}).numbered);
  CHECK_FALSE(read({"Which?", "❯ 1. a", "  3. b"}).numbered);
}

TEST_CASE("A dialog without answers is its text") {
  const DialogView dialog = read({"────────────────", "Press a key", "to go on"});
  CHECK(dialog.title == "Press a key");
  CHECK(dialog.body == "to go on");
  CHECK(dialog.options.empty());
}

TEST_CASE("An empty screen holds an empty dialog") {
  CHECK(read({}) == DialogView{});
  CHECK(describe(read({})).empty());
}

TEST_CASE("describe says all of a dialog, a line each, and marks the cursor") {
  CHECK(describe({.title = "Run?",
                  .body = "rm x\nnow",
                  .options = {"Yes", "No"},
                  .cursor = 1,
                  .numbered = true,
                  .beside = false,
                  .whole = false,
                  .width = 0,
                  .tinted = {}}) == "Run?\nrm x\nnow\n  1. Yes\n> 2. No");
  CHECK(describe({.title = "",
                  .body = "",
                  .options = {"Allow", "Deny"},
                  .cursor = -1,
                  .numbered = false,
                  .beside = false,
                  .whole = false,
                  .width = 0,
                  .tinted = {}}) == "  Allow\n  Deny");
  CHECK(describe({.title = "Only a title",
                  .body = "",
                  .options = {},
                  .cursor = -1,
                  .numbered = false,
                  .beside = false,
                  .whole = false,
                  .width = 0,
                  .tinted = {}}) == "Only a title");
}

}  // namespace orch::detect
