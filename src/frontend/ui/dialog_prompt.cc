#include "ui/dialog_prompt.h"

#include <utility>

namespace orch::ui {
namespace {

using agent::DialogChoice;

// The keys are the answers of orch answer that have one character.
std::optional<DialogChoice> choice_of(std::string_view text) {
  if (text.size() != 1 || text == "0") return std::nullopt;
  const DialogChoice choice = agent::dialog_choice_of(text);
  if (choice.kind == DialogChoice::Kind::kText) return std::nullopt;
  return choice;
}

}  // namespace

void DialogPrompt::show(const run::WaitingDialog* dialog, int columns, int height) {
  if (dialog == nullptr) return *this = DialogPrompt(), void();
  if (dialog->id != page_.id()) {
    told_too_early_ = false;
    note_.clear();
  }
  page_.set(dialog->id, text_of(dialog->request), columns, height);
}

PromptAction DialogPrompt::on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms) {
  using Verdict = DialogPage::Verdict;
  const bool is_key = inputs.size() == 1 && inputs.front().kind == TerminalInput::Kind::kText;
  if (!is_key || page_.id().empty() || !note_.empty()) return prompt::Nothing{};
  const std::string& text = inputs.front().text;
  if (text == "e") return prompt::TakeOver{};
  if (text == " ") return page_.turn(), prompt::Turned{};
  const std::optional<DialogChoice> choice = choice_of(text);
  if (!choice) return prompt::Nothing{};
  const Verdict verdict = page_.check(*choice, now_ms);
  if (verdict == Verdict::kTake) return prompt::Answer{page_.id(), *choice};
  const bool again = verdict == Verdict::kTooEarly && std::exchange(told_too_early_, true);
  if (again) return prompt::Nothing{};
  return prompt::Refused{verdict};
}

std::string word_of(const DialogChoice& choice) {
  if (choice.kind == DialogChoice::Kind::kNumber) return std::to_string(choice.number);
  return std::string(agent::name(choice.kind));
}

}  // namespace orch::ui
