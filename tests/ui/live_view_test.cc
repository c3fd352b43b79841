#include "ui/live_view.h"

#include <catch2/catch.hpp>
#include <string>

#include "ui/canvas.h"

namespace orch::ui {
namespace {

using agent::DialogOption;
using agent::Meaning;

std::string without_styles(std::string_view row) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\x1b') {
      i = row.find('m', i);
    } else {
      text += row[i];
    }
  }
  return text;
}

std::vector<std::string> drawn(LivePicture picture, term::Size window, Ink ink) {
  DialogPage page;
  picture.page = &page;
  if (picture.dialog != nullptr) {
    page.set(picture.dialog->id, text_of(picture.dialog->request), live_dialog_columns(window),
             live_dialog_height(window));
  }
  return live_rows(picture, window, ink);
}

std::vector<std::string> plain(const LivePicture& picture, term::Size window) {
  std::vector<std::string> rows;
  for (const std::string& row : drawn(picture, window, Ink::kColors)) {
    rows.push_back(without_styles(row));
  }
  return rows;
}

run::WaitingDialog asks_for(const std::string& command) {
  run::WaitingDialog dialog{.id = "d1", .request = {}};
  dialog.request.kind = event::Cause::kPermission;
  dialog.request.title = "Bash command";
  dialog.request.body = command + "\nDo you want to proceed?";
  dialog.request.likely = {command};
  dialog.request.complete = true;
  dialog.request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  return dialog;
}

bool has(const std::vector<std::string>& rows, const std::string& part) {
  for (const std::string& row : rows) {
    if (row.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("The agent's last rows are shown in their colours, a third of the window at most") {
  term::Screen screen({80, 24});
  for (int i = 1; i <= 20; ++i) screen.feed("row " + std::to_string(i) + "\r\n");
  screen.feed("\x1b[31mred\x1b[m \x1b]0;title\x07 end");
  const LivePicture picture{.session = "orch-7", .agent = "demo", .screen = &screen};
  const auto rows = plain(picture, {80, 24});
  REQUIRE(rows.size() == 8);
  CHECK(rows.front().starts_with("── demo · Ctrl-] takes over ──"));
  CHECK(rows[1] == "row 15");
  CHECK(rows.back() == "red  end");
  CHECK(live_rows(picture, {80, 24}, Ink::kColors).back().find("38;5;1m") != std::string::npos);
  CHECK(live_rows(picture, {80, 24}, Ink::kMonochrome).back().find("38;5;1m") == std::string::npos);
}

TEST_CASE("Rules and blank rows of the agent do not take the place of its words") {
  term::Screen screen({80, 24});
  screen.feed(
      "● Bash(make)\r\n  ⎿ Running…\r\n\r\n✻ Thinking\r\n\r\n────\r\n> \r\n────\r\n ? help");
  const auto rows = plain({.session = "orch-7", .agent = "demo", .screen = &screen}, {80, 18});
  REQUIRE(rows.size() == 6);
  CHECK(rows[1] == "● Bash(make)");
  CHECK(rows[5] == " ? help");
}

TEST_CASE("A window that is too small, and an agent without a screen, have no live view") {
  term::Screen screen({80, 24});
  const LivePicture picture{.session = "orch-7", .agent = "demo", .screen = &screen};
  CHECK(live_rows(picture, {39, 24}, Ink::kColors).empty());
  CHECK(live_rows(picture, {80, 9}, Ink::kColors).empty());
  CHECK_FALSE(live_rows(picture, {60, 10}, Ink::kColors).empty());
  CHECK(live_rows({.session = "orch-7", .agent = "demo"}, {80, 24}, Ink::kColors).empty());
}

TEST_CASE("At any size rows are narrower than the window and few enough, whatever they show") {
  const run::WaitingDialog dialog = asks_for("make " + std::string(300, 'x') + " 好好好");
  for (int cols = 1; cols <= 130; cols += cols < 45 ? 1 : 9) {
    for (int rows = 1; rows <= 40; ++rows) {
      term::Screen screen({cols, rows});
      for (int i = 0; i < 3000; ++i) screen.feed(i % 7 == 0 ? "字" : "漢e\u0301 ");
      for (const run::WaitingDialog* asked :
           {static_cast<const run::WaitingDialog*>(nullptr), &dialog}) {
        const LivePicture picture{
            .session = "orch-7", .agent = "demo", .screen = &screen, .dialog = asked};
        const auto shown = plain(picture, {cols, rows});
        REQUIRE(static_cast<int>(shown.size()) <= (asked != nullptr ? rows / 2 : rows / 3));
        for (const std::string& row : shown) REQUIRE(columns_of(row) < cols);
      }
    }
  }
}

TEST_CASE("A dialog shows its question, its whole command, its options and its keys") {
  const run::WaitingDialog dialog = asks_for("touch out.txt && echo tests passed");
  const auto rows = plain({.session = "orch-7", .agent = "demo", .dialog = &dialog}, {80, 24});
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].starts_with("── orch-7 asks ─"));
  CHECK(rows[1] == "Do you want to proceed?");
  CHECK(rows[2] == "$ touch out.txt && echo tests passed");
  CHECK(rows[3] == "1. Yes");
  CHECK(rows[4] == "2. No");
  CHECK(rows[5] == "y yes   n no   1-2 choose   e take over");
  const auto low = plain({.session = "orch-7", .agent = "demo", .dialog = &dialog}, {60, 10});
  REQUIRE(low.size() == 5);
  CHECK(low[0].starts_with("── orch-7 asks · rows 1-3 of 4, Space shows more ─"));
}

TEST_CASE("A dialog that does not fit says so") {
  const run::WaitingDialog dialog = asks_for("echo " + std::string(2000, 'a') + " && rm -rf ~");
  const auto rows = plain({.session = "orch-7", .agent = "demo", .dialog = &dialog}, {80, 24});
  CHECK_FALSE(has(rows, "rm -rf"));
  CHECK(has(rows, "rows 1-10 of 29, Space shows more"));
}

TEST_CASE("A dialog without a command shows its own words, and its question once") {
  run::WaitingDialog dialog = asks_for("");
  dialog.request.title = "Edit file";
  dialog.request.likely.clear();
  dialog.request.body = "main.py\n- old\n+ new\nDo you want to make this edit?";
  const LivePicture picture{.session = "orch-7", .agent = "demo", .dialog = &dialog};
  const auto rows = plain(picture, {80, 24});
  REQUIRE(rows.size() == 8);
  CHECK(rows[1] == "Do you want to make this edit?");
  CHECK(rows[2] == "main.py");
  CHECK(rows[4] == "+ new");
  CHECK(rows[5] == "1. Yes");
}

TEST_CASE("A dialog's texts are the agent's: nothing of them reaches the terminal as a control") {
  run::WaitingDialog dialog = asks_for("echo \x1b]0;x\x07 \u202e\r\nsecond");
  dialog.request.options[0].text = "Yes\x1b[2J";
  const auto rows =
      drawn({.session = "orch-7", .agent = "demo", .dialog = &dialog}, {80, 24}, Ink::kMonochrome);
  for (const std::string& row : rows) {
    const std::string text = without_styles(row);
    CHECK(text.find_first_of("\x07\r\n") == std::string::npos);
    CHECK(text.find("\u202e") == std::string::npos);
  }
  CHECK_FALSE(has(rows, "\x1b[2J"));
}

TEST_CASE("Only keys that answer the dialog are offered") {
  run::WaitingDialog dialog = asks_for("make");
  dialog.request.options.insert(dialog.request.options.begin() + 1,
                                DialogOption{"Yes, always", Meaning::kAllowAlways});
  CHECK(answer_keys(dialog.request) == "y yes   n no   1-3 choose");
  dialog.request.complete = false;
  CHECK(answer_keys(dialog.request) == "1-3 choose");
  dialog.request.complete = true;
  dialog.request.options = {{"SQLite", Meaning::kOther}, {"PostgreSQL", Meaning::kOther}};
  CHECK(answer_keys(dialog.request) == "1-2 choose");
  dialog.request.options.clear();
  CHECK(answer_keys(dialog.request).empty());
}

}  // namespace orch::ui
