#include "ui/dialog_prompt.h"

#include <catch2/catch.hpp>

namespace orch::ui {
namespace {

using agent::DialogChoice;
using agent::Meaning;

run::WaitingDialog dialog_named(const std::string& id) {
  run::WaitingDialog dialog{.id = id, .request = {}};
  dialog.request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  return dialog;
}

std::vector<TerminalInput> typed(const std::string& text) {
  InputReader reader;
  return reader.feed(text);
}

constexpr int64_t kRead = 1'000;

// Shows the dialog where there is room for it all.
void draw(DialogPrompt& prompt, const run::WaitingDialog& dialog, int64_t now) {
  prompt.show(&dialog, 80, 20);
  prompt.on_drawn(now);
}

}  // namespace

TEST_CASE("y, n and digits answer the dialog that is drawn, and e takes over") {
  const run::WaitingDialog dialog = dialog_named("d1");
  DialogPrompt prompt;
  draw(prompt, dialog, 0);
  const auto answer = [&prompt](const std::string& key) {
    const PromptAction action = prompt.on_input(typed(key), kRead);
    REQUIRE(std::holds_alternative<prompt::Answer>(action));
    CHECK(std::get<prompt::Answer>(action).dialog == "d1");
    return std::get<prompt::Answer>(action).choice;
  };
  CHECK(answer("y").kind == DialogChoice::Kind::kYes);
  CHECK(answer("n").kind == DialogChoice::Kind::kNo);
  CHECK(answer("2").number == 2);
  CHECK(std::holds_alternative<prompt::TakeOver>(prompt.on_input(typed("e"), kRead)));
}

TEST_CASE("A key is no answer to a dialog that came up while it was pressed") {
  const run::WaitingDialog first = dialog_named("d1"), second = dialog_named("d2");
  DialogPrompt prompt;
  draw(prompt, first, 0);
  draw(prompt, second, 5'000);
  const PromptAction early = prompt.on_input(typed("y"), 5'100);
  REQUIRE(std::holds_alternative<prompt::Refused>(early));
  CHECK(std::get<prompt::Refused>(early).verdict == DialogPage::Verdict::kTooEarly);
  CHECK(std::holds_alternative<prompt::Nothing>(prompt.on_input(typed("y"), 5'200)));
  const PromptAction later = prompt.on_input(typed("y"), 5'500);
  REQUIRE(std::holds_alternative<prompt::Answer>(later));
  CHECK(std::get<prompt::Answer>(later).dialog == "d2");
}

TEST_CASE("Other keys, keys without a dialog, and what is pasted do nothing") {
  const run::WaitingDialog dialog = dialog_named("d1");
  DialogPrompt prompt;
  const auto is_nothing = [&prompt](const std::string& bytes) {
    return std::holds_alternative<prompt::Nothing>(prompt.on_input(typed(bytes), kRead));
  };
  CHECK(is_nothing("y"));
  draw(prompt, dialog, 0);
  for (const char* bytes : {"x", "0", "\r", "yes", "1\r", "\x1b[A", "\x1b[200~y\x1b[201~", "ÿ"}) {
    INFO(bytes);
    CHECK(is_nothing(bytes));
  }
  prompt.show(nullptr, 80, 20);
  CHECK(is_nothing("y"));
}

TEST_CASE("While an answer is under way keys do nothing, until it fails or another dialog comes") {
  const run::WaitingDialog first = dialog_named("d1"), second = dialog_named("d2");
  DialogPrompt prompt;
  draw(prompt, first, 0);
  const auto answers = [&prompt](int64_t now) {
    return std::holds_alternative<prompt::Answer>(prompt.on_input(typed("y"), now));
  };
  prompt.on_answering("answering yes");
  draw(prompt, first, 2'000);
  CHECK_FALSE(answers(2'000));
  prompt.on_answer_failed();
  CHECK(answers(2'000));
  prompt.on_answering("answering yes");
  draw(prompt, second, 3'000);
  CHECK(answers(4'000));
}

TEST_CASE("A dialog of which not all was shown is not answered, whatever the key") {
  run::WaitingDialog dialog = dialog_named("d1");
  dialog.request.likely = {"echo one\ntwo\nthree && rm -rf ~"};
  DialogPrompt prompt;
  prompt.show(&dialog, 80, 3);
  prompt.on_drawn(0);
  const auto verdict_on = [&prompt](const std::string& key, int64_t now) {
    const PromptAction action = prompt.on_input(typed(key), now);
    const auto* refused = std::get_if<prompt::Refused>(&action);
    return refused != nullptr ? refused->verdict : DialogPage::Verdict::kTake;
  };
  CHECK(prompt.page().position() == "rows 1-3 of 6, Space shows more");
  for (const char* key : {"y", "n", "1", "2"}) {
    CHECK(verdict_on(key, kRead) == DialogPage::Verdict::kNotRead);
  }
  CHECK(std::holds_alternative<prompt::Turned>(prompt.on_input(typed(" "), kRead)));
  CHECK(verdict_on("y", 2 * kRead) == DialogPage::Verdict::kNotRead);  // not drawn yet
  prompt.on_drawn(2 * kRead);
  CHECK(verdict_on("y", 2 * kRead + 399) == DialogPage::Verdict::kTooEarly);
  CHECK(verdict_on("3", 3 * kRead) == DialogPage::Verdict::kNoOption);
  CHECK(verdict_on("y", 3 * kRead) == DialogPage::Verdict::kTake);
}

TEST_CASE("In another window a dialog has to be read again") {
  run::WaitingDialog dialog = dialog_named("d1");
  dialog.request.likely = {std::string(100, 'x')};
  DialogPrompt prompt;
  draw(prompt, dialog, 0);
  prompt.show(&dialog, 60, 20);
  CHECK(std::holds_alternative<prompt::Refused>(prompt.on_input(typed("y"), kRead)));
  prompt.on_drawn(kRead);
  CHECK(std::holds_alternative<prompt::Answer>(prompt.on_input(typed("y"), 2 * kRead)));
}

}  // namespace orch::ui
