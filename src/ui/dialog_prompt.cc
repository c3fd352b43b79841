#include "ui/dialog_prompt.h"

#include <utility>

#include "ui/top_model.h"

namespace orch::ui {
namespace {

using agent::DialogChoice;
using agent::Meaning;

// Whether the choice can only refuse what is asked.
bool refuses(const DialogChoice& choice, const agent::DialogRequest& request) {
  if (choice.kind != DialogChoice::Kind::kNumber) return choice.kind == DialogChoice::Kind::kNo;
  const int at = choice.number - request.first;
  return at >= 0 && at < static_cast<int>(request.options.size()) &&
         request.options[static_cast<size_t>(at)].meaning == Meaning::kDeny;
}

// The keys are the answers of orch answer that have one character.
std::optional<DialogChoice> choice_of(std::string_view text) {
  if (text.size() != 1 || text == "0") return std::nullopt;
  const DialogChoice choice = agent::dialog_choice_of(text);
  if (choice.kind == DialogChoice::Kind::kText) return std::nullopt;
  return choice;
}

}  // namespace

void DialogPrompt::on_drawn(const run::WaitingDialog* dialog, bool whole, int64_t now_ms) {
  const std::string id = dialog != nullptr ? dialog->id : "";
  whole_ = whole;
  if (id == dialog_) return;
  dialog_ = id;
  request_.reset();
  if (dialog != nullptr) request_ = dialog->request;
  drawn_ms_ = now_ms;
  told_too_early_ = false;
  note_.clear();
}

PromptAction DialogPrompt::on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms) {
  const bool is_key = inputs.size() == 1 && inputs.front().kind == TerminalInput::Kind::kText;
  if (!is_key || dialog_.empty() || !note_.empty()) return prompt::Nothing{};
  const std::string& text = inputs.front().text;
  if (text == "e") return prompt::TakeOver{};
  const std::optional<DialogChoice> choice = choice_of(text);
  if (!choice) return prompt::Nothing{};
  // One key cannot say all that shall be ticked.
  if (request_->is_set() && choice->kind == DialogChoice::Kind::kNumber) return prompt::Nothing{};
  if (now_ms - drawn_ms_ < TopModel::kReadMs) {
    if (std::exchange(told_too_early_, true)) return prompt::Nothing{};
    return prompt::TooEarly{};
  }
  if (!whole_ && !refuses(*choice, *request_)) return prompt::NotWhole{};
  return prompt::Answer{dialog_, *choice};
}

std::string word_of(const DialogChoice& choice) {
  if (choice.kind == DialogChoice::Kind::kNumber) return std::to_string(choice.number);
  return std::string(agent::name(choice.kind));
}

}  // namespace orch::ui
