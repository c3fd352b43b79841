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

// Reads a dialog in rows with colours, with the screen that they are drawn on.
DialogView read_drawn(const Lines& rows) {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, rows);
  return read_dialog(rules, p.rows, p.layout, p.screen);
}

DialogView view_of(std::string title, std::string body, std::vector<std::string> options,
                   int cursor, bool numbered, bool beside) {
  DialogView view;
  view.title = std::move(title);
  view.body = std::move(body);
  view.options = std::move(options);
  view.descriptions.resize(view.options.size());
  view.ticks.resize(view.options.size());
  view.cursor = cursor;
  view.numbered = numbered;
  view.beside = beside;
  return view;
}

}  // namespace

TEST_CASE("A dialog's title is its first row, its body the rest above the choices") {
  const DialogView dialog =
      read({"● I need a file.", "────────────────", " Bash command", "", "   touch out.txt",
            "   Make the file", "", " Proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel"});
  CHECK(dialog == view_of("Bash command", "touch out.txt\nMake the file\nProceed?", {"Yes", "No"},
                          0, true, false));
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
  CHECK(dialog == view_of("△ Permission required", "$ touch out.txt",
                          {"Allow once", "Allow always", "Reject"}, -1, false, true));
}

TEST_CASE("Choices without numbers are rows under each other, one with the cursor") {
  const DialogView dialog = read({"────────────────", "  Which mode?", "", "  ❯ Yes, auto mode",
                                  "    No, manual mode", "", "  Enter to confirm"});
  CHECK(dialog ==
        view_of("Which mode?", "", {"Yes, auto mode", "No, manual mode"}, 0, false, false));
  // At the left margin such a row is a message of the user, and the next row belongs to it.
  CHECK(read({"❯ a message", "  of two rows"}).cursor == -1);
}

TEST_CASE("Without numbers a description stands further in, in an ink of its own") {
  const DialogView dialog =
      read({"────────────────", "  Which one?", "", "    Small", "      \x1b[2mfits every purse",
            "\x1b[0m  ❯ Large", "      \x1b[2mfor those who need room", "      and time", "",
            "  Enter to confirm"});
  CHECK(dialog.options == std::vector<std::string>{"Small", "Large"});
  CHECK(dialog.descriptions ==
        std::vector<std::string>{"fits every purse", "for those who need room and time"});
  CHECK(dialog.cursor == 1);
}

TEST_CASE("A choice that wraps goes on in its own ink, a description does not") {
  const DialogView dialog =
      read({"Which?", "❯ \x1b[2m1. \x1b[0mAn answer that", "     wraps",
            "     \x1b[2mand what it means", "  2.\x1b[0m Short", "     \x1b[2mits description"});
  CHECK(dialog.options == std::vector<std::string>{"An answer that wraps", "Short"});
  CHECK(dialog.descriptions == std::vector<std::string>{"and what it means", "its description"});
}

TEST_CASE("Two blanks set a description apart from its choice") {
  const DialogView dialog = read({"Allow?", "❯ 1. Allow   Run it and go on", "  2. Cancel"});
  CHECK(dialog.options == std::vector<std::string>{"Allow", "Cancel"});
  CHECK(dialog.descriptions == std::vector<std::string>{"Run it and go on", ""});
}

TEST_CASE("Blank rows may set choices without numbers apart") {
  const DialogView dialog = read({"────────────────", " Which?", "", " ❯ One", "     for one", "",
                                  "   Two", "", "   Three", "", " Enter to confirm"});
  CHECK(dialog.options == std::vector<std::string>{"One for one", "Two", "Three"});
  CHECK(dialog.cursor == 0);
}

TEST_CASE("Letters before choices are no part of them") {
  CHECK(read({"────────────────", " Which?", "", "   a) One", " ❯ b) Two"}).options ==
        std::vector<std::string>{"One", "Two"});
  CHECK(read({"────────────────", " Which?", "", "   a) One", " ❯ c) Two"}).options ==
        std::vector<std::string>{"a) One", "c) Two"});
}

TEST_CASE("Radio buttons are a choice of one") {
  const DialogView dialog = read({"────────────────", " Which?", "", "   ( ) One", " ❯ (•) Two"});
  CHECK(dialog.options == std::vector<std::string>{"One", "Two"});
  CHECK_FALSE(dialog.is_set());
}

TEST_CASE("Tick boxes are a set, and the row that stands out among them is its button") {
  const DialogView dialog =
      read({"────────────────", "  2 servers", "", "  ❯ [✔] alpha", "    [ ] beta",
            "       \x1b[1mEnable selected\x1b[0m", " Space to select"});
  CHECK(dialog.is_set());
  CHECK(dialog.options == std::vector<std::string>{"alpha", "beta"});
  CHECK(dialog.ticks == std::vector<std::optional<bool>>{true, false});
  CHECK(dialog.button == OptionButton{"Enable selected", 2, false});
  CHECK(dialog.cursor == 0);
  const DialogView below = read({"────────────────", "  2 servers", "", "    [✔] alpha",
                                 "    [ ] beta", "  ❯    Enable selected", " Space to select"});
  CHECK(below.options == dialog.options);
  CHECK(below.button == OptionButton{"Enable selected", 2, true});
  CHECK(below.cursor == -1);
}

TEST_CASE("A set with numbers has its button among them") {
  const auto lines = [](std::string red, std::string submit) {
    return Lines{"────────────────",
                 "Which colours?",
                 "",
                 std::move(red),
                 "        \x1b[2mwarm\x1b[0m",
                 "  2. [✔] Blue",
                 "  3. [ ] Type something",
                 std::move(submit),
                 "────────────────",
                 "  4. Chat about this",
                 "",
                 "Enter to select"};
  };
  const DialogView dialog = read(lines("❯ 1. [ ] Red", "     \x1b[1mSubmit\x1b[0m"));
  CHECK(dialog.options ==
        std::vector<std::string>{"Red", "Blue", "Type something", "Chat about this"});
  CHECK(dialog.ticks == std::vector<std::optional<bool>>{false, true, false, std::nullopt});
  CHECK(dialog.descriptions == std::vector<std::string>{"warm", "", "", ""});
  CHECK(dialog.button == OptionButton{"Submit", 3, false});
  CHECK(dialog.cursor == 0);
  const DialogView on_it = read(lines("  1. [ ] Red", "❯    Submit"));
  CHECK(on_it.options == dialog.options);
  CHECK(on_it.button == OptionButton{"Submit", 3, true});
  CHECK(on_it.cursor == -1);
}

TEST_CASE("Of two lists the lower one is the dialog's") {
  CHECK(read({"● Steps:", "  1. a test", "  2. the docs", "────────────────", " Run?", " ❯ No",
              "   Yes"})
            .options == std::vector<std::string>{"No", "Yes"});
  CHECK(read({"● Modes:", "  ❯ fast", "    slow", "────────────────", " Run?", " ❯ 1. Yes",
              "   2. No"})
            .options == std::vector<std::string>{"Yes", "No"});
}

TEST_CASE("Words that name keys are no answers") {
  CHECK(read({"────────────────", "Run?",
              "  Allow once   Reject     ctrl+f fullscreen  ⇆ select  enter confirm"})
            .options == std::vector<std::string>{"Allow once", "Reject"});
  CHECK(
      read({"────────────────", "Which?", "↑↓ select  enter submit  esc dismiss"}).options.empty());
}

TEST_CASE("Answers may have their keys behind them") {
  RuleSetSpec spec = sample_rules();
  DialogSpec dialog{.id = "run", .kind = event::Cause::kPermission};
  dialog.edge = DialogEdge::kFrame;
  dialog.options = OptionForm::kHinted;
  dialog.title = "^ ?Bash";
  spec.dialogs.kinds = {dialog};
  const RuleSet rules = compiled(spec);
  const Picture p(rules, {"╭───────────────╮", "│  Bash(make)   │", "│  > Go (tab)   │",
                          "│    No (esc)   │", "╰───────────────╯", "  master"});
  const DialogView view = read_dialog(rules, p.rows, p.layout);
  CHECK(view.options == std::vector<std::string>{"Go", "No"});
  CHECK(view.keys == std::vector<std::string>{"Tab", "Escape"});
  CHECK(view.cursor == 0);
}

// A question with letters behind it, about words in reverse under a plain row.
static DialogView read_letters_of(const Lines& rows) {
  RuleSetSpec spec = sample_rules();
  spec.box = {};
  spec.box.prompt = "^> ";
  DialogSpec dialog{.id = "run", .kind = event::Cause::kPermission};
  dialog.options = OptionForm::kLetters;
  dialog.title = "^Tokens: ";
  dialog.asks = "^Run it\\?";
  dialog.command.emplace().begins = "^(\\S.*)$";
  dialog.action = DialogAction::kCommand;
  spec.dialogs = {};
  spec.dialogs.kinds = {dialog};
  const RuleSet rules = compiled(spec);
  const Picture p(rules, rows);
  return read_dialog(rules, p.rows, p.layout);
}

TEST_CASE("Answers may be letters behind the question") {
  const std::string asks = "Run it? (Y)es/(N)o/(D)on't ask again [Yes]:";
  const DialogView dialog = read_letters_of({"Tokens: 5", "", "\x1b[7mmake all\x1b[m", asks});
  CHECK(dialog.title == "Run it?");
  CHECK(dialog.body == "make all");
  CHECK(dialog.options == std::vector<std::string>{"Yes", "No", "Don't ask again"});
  CHECK(dialog.keys == std::vector<std::string>{"Y Enter", "N Enter", "D Enter"});
  REQUIRE(dialog.command);
  CHECK(dialog.command->rows == Lines{"make all"});
  CHECK(dialog.whole);

  // The words that it asks about cannot cut themselves off.
  const DialogView forged = read_letters_of({"Tokens: 5", "", "\x1b[7mrm -r /\x1b[m",
                                             "\x1b[7mTokens: 5\x1b[m", "\x1b[7m# ls\x1b[m", asks});
  REQUIRE(forged.command);
  CHECK(forged.command->rows == Lines{"rm -r /", "Tokens: 5", "# ls"});

  CHECK_FALSE(read_letters_of({"", "\x1b[7mmake\x1b[m", asks}).whole);
  CHECK(read_letters_of({"Tokens: 5", "make", asks + " y"}).keys.empty());
}

TEST_CASE("The answer on a ground of its own has the cursor") {
  const auto cursor = [](std::string_view row) {
    return read_drawn({"────────────────", "Run?", std::string(row)}).cursor;
  };
  const std::string end = "\x1b[48;5;8m                                        ";
  CHECK(cursor("\x1b[48;5;8m  \x1b[48;5;3m Once \x1b[48;5;8m  Always   Reject" + end) == 0);
  CHECK(cursor("\x1b[48;5;8m   Once   Always  \x1b[48;5;3m Reject \x1b[48;5;8m" + end) == 2);
  CHECK(cursor("   Once  \x1b[7m Always \x1b[0m  Reject") == 1);
  // The other answers may have a background of their own.
  const std::string row = "\x1b[48;5;8m  ", other = "\x1b[48;5;9m ";
  CHECK(cursor(row + other + "Once " + row + "\x1b[48;5;3m Always " + row + other + "Reject " +
               row + end) == 1);
  CHECK(cursor("   Once   Always   Reject") == -1);
  CHECK(cursor("  \x1b[7m Once \x1b[0m \x1b[7m Always \x1b[0m  Reject") == -1);
  CHECK(read({"────────────────", "Run?", "   Once  \x1b[7m Always \x1b[0m  Reject"}).cursor == -1);
}

TEST_CASE("A dialog goes on over a dashed rule") {
  const DialogView dialog = read({"● Update(main.py)", "────────────────", " Edit file",
                                  " src/main.py", "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌", " 2 + x", "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
                                  " Edit main.py?", " ❯ 1. Yes", "   2. No"});
  CHECK(dialog.title == "Edit file");
  CHECK(dialog.body == "src/main.py\n2 + x\nEdit main.py?");
}

TEST_CASE("A dialog that no data of the agent know is never whole") {
  const DialogView dialog =
      read({"────────────────", " Run?", " ❯ 1. Yes", "   2. No", " Esc to cancel"});
  CHECK_FALSE(dialog.whole);
  CHECK(dialog.action == DialogAction::kUnknown);
  CHECK(dialog.kind == event::Cause::kNone);
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
  CHECK(read({"Which?", "❯ 4. a", "  5. b"}).first == 4);
  CHECK(read({"Which?", "❯ 1. a", "  2. b"}).first == 1);
  CHECK_FALSE(read({"Which?", "❯ 1. a", "  3. b"}).numbered);
}

TEST_CASE("A dialog without answers is its text") {
  const DialogView dialog = read({"────────────────", "Press a key", "to go on"});
  CHECK(dialog.title == "Press a key");
  CHECK(dialog.body == "to go on");
  CHECK(dialog.options.empty());
}

TEST_CASE("Where the input box stands no dialog is drawn") {
  CHECK(read(with_box({"● The steps:", "  1. a test", "  2. the docs"})) == DialogView{});
  CHECK(read(with_box({"● The steps:", "  ❯ a test", "    the docs"})) == DialogView{});
  CHECK(read(with_box({"● It is done."})) == DialogView{});
  Lines hints = with_box({"● It is done."});
  hints.emplace_back("  auto mode   2 warnings");
  CHECK(read(hints).options.empty());
}

TEST_CASE("An empty screen holds an empty dialog") { CHECK(read({}) == DialogView{}); }

}  // namespace orch::detect
