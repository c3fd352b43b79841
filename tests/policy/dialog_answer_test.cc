#include "policy/dialog_answer.h"

#include <catch2/catch.hpp>

namespace orch::policy {
namespace {

using detect::DialogView;

DialogView dialog(std::vector<std::string> options, int cursor = 0, bool numbered = true) {
  DialogView view;
  view.options = std::move(options);
  view.cursor = cursor;
  view.numbered = numbered;
  return view;
}

DialogView row(std::vector<std::string> options, int cursor) {
  DialogView view = dialog(std::move(options), cursor, false);
  view.beside = true;
  return view;
}

void check(Meaning meaning, const std::vector<std::string_view>& options) {
  for (const std::string_view option : options) {
    INFO(option);
    CHECK(meaning_of(option) == meaning);
  }
}

}  // namespace

TEST_CASE("Options that allow what is asked, once") {
  check(Meaning::kAllowOnce,
        {"Yes", "Yes, proceed (y)", "Allow once", "Yes, allow once", "Allow", "Approve",
         "Yes, I trust this folder", "Yes, I accept", "Trust folder (demo)", "Trust and continue",
         "Yes, manually approve edits", "Yes, and manually approve edits",
         "Yes, implement this plan          Switch to Default and start coding",
         "Yes, just this once (y)", "Run (once) (y) (enter)", "Try new model",
         "Update now (runs `npm install -g x`)", "Proceed", "Yes, use this API key"});
}

TEST_CASE("Options that allow more than what is asked") {
  check(Meaning::kAllowAlways,
        {"Yes, and don't ask again for similar commands in /src/demo",
         "Yes, and don't ask again for commands that start with `touch out.txt` (p)",
         "Yes, and don't ask again for these files (a)",
         "Yes, and always allow access to demo/ from this project",
         "Yes, allow all edits during this session (shift+tab)",
         "Yes, allow reading from src/ during this session", "Allow for this session",
         "Allow always", "Always allow run 'rm *' commands in this project", "Yes, allow always",
         "Yes, and use auto mode", "Yes, auto-accept edits", "Yes, and bypass permissions",
         "Yes, automatically accept edits", "Trust parent folder (src)",
         "Yes, and remember this folder for future sessions",
         "Yes, and allow this host for this conversation (a)", "Run everything"});
}

TEST_CASE("Options that deny") {
  check(Meaning::kDeny,
        {"No", "No, exit", "No (recommended)", "Reject", "Deny", "Cancel", "Don't trust",
         "No, suggest changes (esc)", "No, and tell Codex what to do differently (esc)",
         "No, and tell Claude what to do differently (esc)", "No, stay in Plan mode",
         "No, keep planning", "Use existing model", "Skip", "Not now", "Don’t allow"});
}

TEST_CASE("Options that mean something else, or are not understood") {
  check(
      Meaning::kOther,
      {"Type something.", "Chat about this", "SQLite A single file", "Modify with external editor",
       "Tell Claude what to change shift+tab to approve with this feedback",
       "Back to Agent Command Center", "Sign in with ChatGPT", "Yes, clear context and implement",
       "Skip until next version", "No, and don't ask again", "Nooject", "Yesterday", "Notes", "",
       "(esc)", "Oui", "はい"});
}

TEST_CASE("The option is found by its meaning wherever it stands") {
  const DialogView claude = dialog({"Yes", "Yes, and don't ask again", "No"});
  CHECK(option_for(claude, Answer::kAllow) == 0);
  CHECK(option_for(claude, Answer::kDeny) == 2);
  CHECK(!option_for(claude, Answer::kNone));
  const DialogView turned = dialog({"No, exit", "Yes, I accept"});
  CHECK(option_for(turned, Answer::kAllow) == 1);
  CHECK(option_for(turned, Answer::kDeny) == 0);
}

TEST_CASE("Without the wanted meaning, or with two of it, there is no option") {
  CHECK(!option_for(dialog({"Allow always", "Reject"}), Answer::kAllow));
  CHECK(!option_for(dialog({"Yes", "Proceed", "No"}), Answer::kAllow));
  CHECK(!option_for(dialog({"SQLite", "Postgres"}), Answer::kAllow));
  CHECK(!option_for(dialog({}), Answer::kDeny));
}

TEST_CASE("A numbered option is chosen by its digit wherever the cursor is") {
  CHECK(next_key(dialog({"Yes", "No"}, 0), 1) == DialogKey::kDigit);
  CHECK(next_key(dialog({"Yes", "No"}, -1), 0) == DialogKey::kDigit);
}

TEST_CASE("There is no digit for the tenth option") {
  CHECK(next_key(dialog(std::vector<std::string>(12, "x"), 9), 9) == DialogKey::kEnter);
  CHECK(next_key(dialog(std::vector<std::string>(12, "x"), 7), 9) == DialogKey::kDown);
}

TEST_CASE("In a list without numbers the cursor is brought to the option, then Enter") {
  CHECK(next_key(dialog({"a", "b", "c"}, 0, false), 2) == DialogKey::kDown);
  CHECK(next_key(dialog({"a", "b", "c"}, 2, false), 0) == DialogKey::kUp);
  CHECK(next_key(dialog({"a", "b", "c"}, 2, false), 2) == DialogKey::kEnter);
  CHECK(next_key(dialog({"a", "b", "c"}, -1, false), 2) == DialogKey::kUnknown);
}

TEST_CASE("In a row it goes left and right") {
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 0), 2) == DialogKey::kRight);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 2), 0) == DialogKey::kLeft);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 0), 0) == DialogKey::kEnter);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, -1), 0) == DialogKey::kUnknown);
}

}  // namespace orch::policy
