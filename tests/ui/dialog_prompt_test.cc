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

}  // namespace

TEST_CASE("y, n and digits answer the dialog that is drawn, and e takes over") {
  const run::WaitingDialog dialog = dialog_named("d1");
  DialogPrompt prompt;
  prompt.on_drawn(&dialog, true, 0);
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
  prompt.on_drawn(&first, true, 0);
  prompt.on_drawn(&second, true, 5'000);
  CHECK(std::holds_alternative<prompt::TooEarly>(prompt.on_input(typed("y"), 5'100)));
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
  prompt.on_drawn(&dialog, true, 0);
  for (const char* bytes : {"x", "0", "\r", "yes", "1\r", "\x1b[A", "\x1b[200~y\x1b[201~", "ÿ"}) {
    INFO(bytes);
    CHECK(is_nothing(bytes));
  }
  prompt.on_drawn(nullptr, true, 0);
  CHECK(is_nothing("y"));
}

TEST_CASE("While an answer is under way keys do nothing, until it fails or another dialog comes") {
  const run::WaitingDialog first = dialog_named("d1"), second = dialog_named("d2");
  DialogPrompt prompt;
  prompt.on_drawn(&first, true, 0);
  const auto answers = [&prompt](int64_t now) {
    return std::holds_alternative<prompt::Answer>(prompt.on_input(typed("y"), now));
  };
  prompt.on_answering("answering yes");
  prompt.on_drawn(&first, true, 2'000);
  CHECK_FALSE(answers(2'000));
  prompt.on_answer_failed();
  CHECK(answers(2'000));
  prompt.on_answering("answering yes");
  prompt.on_drawn(&second, true, 3'000);
  CHECK(answers(4'000));
}

TEST_CASE("A command that is not shown as a whole can be refused, but not allowed") {
  const run::WaitingDialog dialog = dialog_named("d1");
  DialogPrompt prompt;
  prompt.on_drawn(&dialog, false, 0);
  const auto answers = [&prompt](const std::string& key) {
    return std::holds_alternative<prompt::Answer>(prompt.on_input(typed(key), kRead));
  };
  CHECK(std::holds_alternative<prompt::NotWhole>(prompt.on_input(typed("y"), kRead)));
  CHECK_FALSE(answers("1"));
  CHECK(answers("2"));
  CHECK(answers("n"));
}

}  // namespace orch::ui
