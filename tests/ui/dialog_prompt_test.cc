#include "ui/dialog_prompt.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

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

// Shows the dialog of orch-1 where there is room for it all.
void draw(DialogPrompt& prompt, const run::WaitingDialog& dialog, int64_t now) {
  prompt.show({{"orch-1", dialog}}, 80, 20);
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
  prompt.show({}, 80, 20);
  CHECK(is_nothing("y"));
}

TEST_CASE("While an answer is under way keys do nothing, until it fails or another dialog comes") {
  const run::WaitingDialog first = dialog_named("d1"), second = dialog_named("d2");
  DialogPrompt prompt;
  draw(prompt, first, 0);
  const auto answers = [&prompt](int64_t now) {
    return std::holds_alternative<prompt::Answer>(prompt.on_input(typed("y"), now));
  };
  const prompt::Answer answer{"orch-1", "d1", {.kind = DialogChoice::Kind::kYes}};
  prompt.on_answering(answer, "answering yes");
  draw(prompt, first, 2'000);
  CHECK_FALSE(answers(2'000));
  prompt.on_answer_failed(answer);
  CHECK(answers(2'000));
  prompt.on_answering(answer, "answering yes");
  draw(prompt, second, 3'000);
  CHECK(answers(4'000));
}

TEST_CASE("A dialog of which not all was shown is not answered, whatever the key") {
  run::WaitingDialog dialog = dialog_named("d1");
  dialog.request.likely = {"echo one\ntwo\nthree && rm -rf ~"};
  DialogPrompt prompt;
  prompt.show({{"orch-1", dialog}}, 80, 3);
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
  prompt.show({{"orch-1", dialog}}, 60, 20);
  CHECK(std::holds_alternative<prompt::Refused>(prompt.on_input(typed("y"), kRead)));
  prompt.on_drawn(kRead);
  CHECK(std::holds_alternative<prompt::Answer>(prompt.on_input(typed("y"), 2 * kRead)));
}

TEST_CASE("Of several dialogs one stays until it is gone, then the longest waiting one is shown") {
  const Asking one{"orch-1", dialog_named("d1")}, two{"orch-2", dialog_named("d1")},
      three{"orch-3", dialog_named("d1")};
  DialogPrompt prompt;
  const auto shown = [&prompt](std::vector<Asking> asking) {
    prompt.show(std::move(asking), 80, 20);
    return prompt.shown()->session;
  };
  CHECK(shown({two}) == "orch-2");
  CHECK(shown({three, two}) == "orch-2");
  CHECK(shown({one, two, three}) == "orch-2");
  CHECK(prompt.others() == 2);
  CHECK(std::holds_alternative<prompt::Turned>(prompt.on_input(typed("\t"), kRead)));
  CHECK(shown({one, two, three}) == "orch-3");
  CHECK(shown({one, two}) == "orch-1");
}

TEST_CASE("An answer that is under way stays so while another session's dialog is looked at") {
  const std::vector<Asking> asking{{"orch-1", dialog_named("d1")}, {"orch-2", dialog_named("d1")}};
  DialogPrompt prompt;
  prompt.show(asking, 80, 20);
  prompt.on_answering({"orch-1", "d1", {.kind = DialogChoice::Kind::kYes}}, "answering yes");
  prompt.on_input(typed("\t"), kRead);
  CHECK(prompt.note().empty());
  prompt.on_input(typed("\t"), kRead);
  CHECK(prompt.shown()->session == "orch-1");
  CHECK(prompt.note() == "answering yes");
}

// The rows of each dialog's last form that were drawn, and when the last of them was.
class Reader {
 public:
  void draw(DialogPrompt& prompt, int64_t now) {
    const DialogPage& page = prompt.page();
    const std::vector<DialogRow> all = rows_of(text_of(prompt.shown()->dialog.request), 60);
    if (prompt.shown()->session != session_ || all != all_) {
      session_ = prompt.shown()->session;
      all_ = all;
      seen_.assign(all.size(), false);
    }
    for (size_t i = 0; i < page.shown().size(); ++i) {
      if (!seen_[page.first() + i]) last_ms_ = now;
      seen_[page.first() + i] = true;
    }
    prompt.on_drawn(now);
  }
  bool has_read(const Asking& asking, int64_t now) const {
    return asking.session == session_ && rows_of(text_of(asking.dialog.request), 60) == all_ &&
           std::count(seen_.begin(), seen_.end(), false) == 0 &&
           now - last_ms_ >= DialogPage::kReadMs;
  }

 private:
  std::string session_;
  std::vector<DialogRow> all_;
  std::vector<bool> seen_;
  int64_t last_ms_ = 0;
};

TEST_CASE("1,000 schedules of a batch's dialogs and keys: none answers what was not read") {
  static constexpr const char* kKeys[] = {"y", "n", "1", "2", "3", "\t", " ", "e", "y", "y"};
  int answers = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](unsigned n) { return static_cast<int>(random() % n); };
    DialogPrompt prompt;
    Reader reader;
    std::map<std::string, run::WaitingDialog> waiting;  // by session
    int64_t now = 0;
    for (int step = 0; step < 60; ++step) {
      now += below(300);
      const std::string session = "orch-" + std::to_string(below(4));
      if (below(4) == 0) waiting.erase(session);
      if (below(4) == 0) {
        run::WaitingDialog dialog = dialog_named("d" + std::to_string(below(3)));
        dialog.request.likely = {"run " + std::to_string(now) + std::string(random() % 900, 'x')};
        waiting[session] = dialog;
      }
      std::vector<Asking> asking;
      for (const auto& [name, dialog] : waiting) asking.push_back({name, dialog});
      prompt.show(asking, 60, 8);
      if (prompt.shown() == nullptr) continue;
      if (below(4) != 0) reader.draw(prompt, now);
      now += below(700);
      const Asking before = *prompt.shown();
      const PromptAction action = prompt.on_input(typed(kKeys[below(std::size(kKeys))]), now);
      const auto* answer = std::get_if<prompt::Answer>(&action);
      if (answer == nullptr) continue;
      ++answers;
      INFO("seed " << seed << " step " << step);
      REQUIRE(before.session == answer->session);
      REQUIRE(before.dialog.id == answer->dialog);
      REQUIRE(reader.has_read(before, now));
      if (below(2) == 0) prompt.on_answering(*answer, "answering");
    }
  }
  CHECK(answers > 1'000);
}

}  // namespace orch::ui
