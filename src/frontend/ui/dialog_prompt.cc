#include "ui/dialog_prompt.h"

#include <algorithm>
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

// No other dialog has this id: a session's dialogs have ids of their own, and no name has a space.
std::string page_id(const std::string& session, const std::string& dialog) {
  return session + " " + dialog;
}

}  // namespace

void DialogPrompt::show(std::vector<Asking> asking, int columns, int height) {
  std::vector<Waiting> queue;
  for (Waiting& known : queue_) {
    const auto found = std::find_if(asking.begin(), asking.end(), [&known](const Asking& it) {
      return it.session == known.asking.session && it.dialog.id == known.asking.dialog.id;
    });
    if (found == asking.end()) continue;
    queue.push_back({std::move(*found), std::move(known.note)});
    asking.erase(found);
  }
  for (Asking& it : asking) queue.push_back({std::move(it), ""});
  queue_ = std::move(queue);
  columns_ = columns;
  height_ = height;
  turn_to_first();
}

void DialogPrompt::turn_to_first() {
  const Asking* first = shown();
  if (first == nullptr) return page_.clear();
  const std::string id = page_id(first->session, first->dialog.id);
  if (id != page_.id()) told_too_early_ = false;
  page_.set(id, text_of(first->dialog.request), columns_, height_);
}

PromptAction DialogPrompt::on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms) {
  using Kind = TerminalInput::Kind;
  using Verdict = DialogPage::Verdict;
  if (inputs.size() != 1 || queue_.empty()) return prompt::Nothing{};
  const TerminalInput& input = inputs.front();
  if (input == TerminalInput{.kind = Kind::kKey, .text = "Tab"} && queue_.size() > 1) {
    std::rotate(queue_.begin(), queue_.begin() + 1, queue_.end());
    turn_to_first();
    return prompt::Turned{};
  }
  if (input.kind != Kind::kText || !note().empty()) return prompt::Nothing{};
  const Asking& asking = *shown();
  if (input.text == "e") return prompt::TakeOver{};
  if (input.text == " ") return page_.turn(), prompt::Turned{};
  const std::optional<DialogChoice> choice = choice_of(input.text);
  if (!choice) return prompt::Nothing{};
  const Verdict verdict = page_.check(*choice, now_ms);
  if (verdict == Verdict::kTake) {
    return prompt::Answer{asking.session, asking.dialog.id, *choice};
  }
  const bool again = verdict == Verdict::kTooEarly && std::exchange(told_too_early_, true);
  if (again) return prompt::Nothing{};
  return prompt::Refused{asking.session, verdict};
}

void DialogPrompt::on_answering(const prompt::Answer& answer, const std::string& note) {
  for (Waiting& it : queue_) {
    const bool is_meant =
        it.asking.session == answer.session && it.asking.dialog.id == answer.dialog;
    if (is_meant) it.note = note;
  }
}

std::string word_of(const DialogChoice& choice) {
  if (choice.kind == DialogChoice::Kind::kNumber) return std::to_string(choice.number);
  return std::string(agent::name(choice.kind));
}

}  // namespace orch::ui
