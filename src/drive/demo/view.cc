// The part of Agent that draws: the rows below the transcript, and the title.
#include <algorithm>
#include <array>

#include "demo/agent.h"
#include "fmt/core.h"

namespace orch::demo {
namespace {

constexpr std::array<std::string_view, 6> kSpinner{"·", "✢", "✳", "✶", "✻", "✽"};
constexpr std::array<std::string_view, 4> kBusyTitles{"◐ demo", "◓ demo", "◑ demo", "◒ demo"};
constexpr std::string_view kQuietTitle =
    "○ demo";                          // shown at the prompt and, as in Claude Code, during dialogs
constexpr size_t kFramesPerTitle = 8;  // about a second

}  // namespace

void Agent::draw() {
  if (frozen_until_) return;
  const bool at_start_dialog = dialog_ && asked_by_ == AskedBy::kStart;
  if (!at_start_dialog) set_title(title());  // Claude Code sets no title before its first prompt
  if (scenario_->reports) report();
  Position cursor;
  const std::vector<Line> live = live_lines(&cursor);
  painter_.paint(player_.transcript().rows(), live, cursor, output_);
}

std::vector<Line> Agent::live_lines(Position* cursor) const {
  std::vector<Line> lines(1);
  if (player_.state() == Player::State::kBusy) {
    lines.push_back(spinner());
    lines.emplace_back();
  }
  for (const std::string& message : queue_) {
    const std::string first = message.substr(0, message.find('\n'));
    lines.push_back({{Ink::kDim, "  » " + drawable(first)}});
  }
  Position inside;
  std::vector<Line> bottom;
  if (dialog_) {
    bottom = dialog_->lines(cols_, &inside);
  } else {
    bottom = box_.lines(cols_, static_cast<size_t>(std::max(rows_ / 2, 1)), &inside);
    bottom.push_back(footer());
  }
  *cursor = {lines.size() + inside.row, inside.col};
  lines.insert(lines.end(), bottom.begin(), bottom.end());
  lines.emplace_back();  // the last row stays free, as in Claude Code
  return lines;
}

Line Agent::spinner() const {
  const size_t frame = frame_number();
  const std::string word = std::string(player_.verb()) + "…";
  const size_t letters = player_.verb().size();
  const size_t lit = std::min(frame % (letters + 4), letters);  // then none is lit for a while
  const size_t after = std::min(lit + 2, letters);
  return {{Ink::kAccent, std::string(kSpinner[frame % kSpinner.size()])},
          {Ink::kPlain, " "},
          {Ink::kAccent, word.substr(0, lit)},
          {Ink::kGlow, word.substr(lit, after - lit)},
          {Ink::kAccent, word.substr(after)},
          {Ink::kDim, fmt::format(" ({}s · esc to stop)", (now_ - player_.turn_began()) / 1000)}};
}

Line Agent::footer() const {
  std::string left;
  if (exit_hint_until_) {
    left = "  press ctrl-c again to exit";
  } else if (!box_.empty()) {
    left = "";  // the draft hides it
  } else if (player_.working()) {
    left = "  esc to stop";
  } else {
    left = "  enter to send · /help";
  }
  std::string right = fmt::format("{}  ", scenario_->name);
  if (scenario_->clock && !box_.empty()) right = fmt::format("{} ms · ", now_ - prompt_at_) + right;
  const int gap = cols_ - columns_of(left) - columns_of(right);
  if (gap > 1) left += std::string(static_cast<size_t>(gap), ' ') + right;
  return {{Ink::kDim, left}};
}

void Agent::set_title(std::string_view title) {
  if (title == title_) return;
  title_ = title;
  output_ += fmt::format("\x1b]0;{}\a", title);
}

std::string_view Agent::title() const {
  if (scenario_->reports) return "demo";
  if (!player_.working()) return kQuietTitle;
  return kBusyTitles[frame_number() / kFramesPerTitle % kBusyTitles.size()];
}

// Like Claude Code, it reports only changes, even if another program reported since then.
void Agent::report() {
  output_ += player_.take_forged();
  if (state() == reported_) return;
  reported_ = state();
  output_ += fmt::format("\x1b]7501;state={}:app=demo\a", reported_);
}

std::string_view Agent::state() const {
  if (dialog_) return "blocked";
  if (player_.working()) return "working";
  if (player_.failed()) return "error";
  return reported_ == "working" || reported_ == "done" ? "done" : "idle";
}

size_t Agent::frame_number() const {
  const int64_t frame = std::max<int64_t>(player_.scaled(kFrameMs), 1);
  return static_cast<size_t>((now_ - player_.turn_began()) / frame);
}

}  // namespace orch::demo
