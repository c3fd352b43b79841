#include "demo/agent.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "fmt/core.h"

namespace orch::demo {
namespace {

// Turn on reports of pastes, focus and the colour scheme, and hide the terminal's own cursor.
constexpr std::string_view kModesOn = "\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?2031h";
constexpr std::string_view kModesOff = "\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?25h";
// XTVERSION, DA1, DECRQM for synchronized frames, DA1.
constexpr std::string_view kQueries = "\x1b[>0q\x1b[c\x1b[?2026$p\x1b[c";

// "/word" alone is a command, but "/etc/hosts is wrong" is a message. "exit" and "quit" are
// commands without the slash, too, as in Claude Code and opencode.
bool is_command(std::string_view draft) {
  if (draft == "exit" || draft == "quit") return true;
  return draft.starts_with('/') && std::all_of(draft.begin() + 1, draft.end(), [](char c) {
           return base::is_small(c) || c == '-';
         });
}

}  // namespace

Agent::Agent(const Scenario& scenario, const Pace& pace, int cols, int rows, int64_t now_ms)
    : scenario_(&scenario),
      now_(now_ms),
      cols_(cols),
      rows_(rows),
      player_(scenario, pace, cols),
      painter_(cols, rows) {
  start_at_ = now_ms + player_.scaled(scenario.start_ms);
}

void Agent::on_input(std::string_view bytes, int64_t now_ms) {
  on_time(now_ms);
  for (const Key& key : keys_.read(bytes, now_)) on_key(key);
  settle();
}

void Agent::on_resize(int cols, int rows, int64_t now_ms) {
  now_ = now_ms;
  cols_ = cols;
  rows_ = rows;
  painter_.resize(cols, rows);
  player_.transcript().set_width(cols);
  settle();
}

void Agent::on_time(int64_t now_ms) {
  now_ = now_ms;
  if (start_at_ && *start_at_ <= now_) start();
  for (const Key& key : keys_.expire(now_)) on_key(key);
  player_.on_time(now_);
  if (exit_hint_until_ && *exit_hint_until_ <= now_) exit_hint_until_.reset();
  if (frozen_until_ && *frozen_until_ <= now_) frozen_until_.reset();
  settle();
}

std::string Agent::take_output() { return std::exchange(output_, {}); }

std::vector<std::string> Agent::take_accepted() { return std::exchange(accepted_, {}); }

std::optional<int64_t> Agent::deadline() const {
  std::optional<int64_t> next;
  const auto consider = [&next](std::optional<int64_t> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  for (const auto& at : {start_at_, exit_hint_until_, frozen_until_}) consider(at);
  consider(keys_.deadline());
  consider(player_.deadline());
  if (player_.working()) {
    const int64_t frame = std::max<int64_t>(player_.scaled(kFrameMs), 1);
    consider(now_ + frame - (now_ - player_.turn_began()) % frame);
  }
  if (scenario_->clock && !box_.empty()) consider(now_ + kClockMs - now_ % kClockMs);
  return next;
}

void Agent::start() {
  start_at_.reset();
  prompt_at_ = now_;
  output_ += kModesOn;
  if (scenario_->at_start != nullptr) {
    dialog_.emplace(*scenario_->at_start);
    asked_by_ = AskedBy::kStart;
  } else {
    add_banner();
  }
  draw();
  output_ += kQueries;
}

void Agent::on_key(const Key& key) {
  if (exit_code_) return;
  if (key.kind == Key::Kind::kFramesKnown) return painter_.synchronize();
  if (dialog_) return on_dialog_key(key);
  switch (key.kind) {
    case Key::Kind::kText:
      return box_.type(key.text);
    case Key::Kind::kPaste:
      return on_paste(key.text);
    case Key::Kind::kNewline:
      return box_.type("\n");
    case Key::Kind::kEnter:
      return on_enter();
    case Key::Kind::kEscape:
      if (player_.working()) player_.interrupt();
      return;
    case Key::Kind::kBackspace:
      return box_.backspace();
    case Key::Kind::kClear:
      return box_.clear();
    case Key::Kind::kInterrupt:
    case Key::Kind::kEndOfInput:
      return on_interrupt_key();
    case Key::Kind::kUp:
    case Key::Kind::kDown:
    case Key::Kind::kFramesKnown:
      return;
  }
}

void Agent::on_dialog_key(const Key& key) {
  const Dialog::Step step = dialog_->on_key(key);
  if (step == Dialog::Step::kOpen) return;
  const std::optional<size_t> option =
      step == Dialog::Step::kChosen ? std::optional(dialog_->selected()) : std::nullopt;
  dialog_.reset();
  switch (asked_by_) {
    case AskedBy::kStart:
      if (option != 0) return exit(1);
      add_banner();
      prompt_at_ = now_;
      return;
    case AskedBy::kTurn:
      return player_.answer(option, now_);
    case AskedBy::kFault:
      return player_.transcript().add(EntryKind::kResult,
                                      fmt::format("{}: {}", kInterruption.title,
                                                  option ? kInterruption.options[*option] : "-"));
  }
}

void Agent::on_enter() {
  const bool glued = pasted_at_ && now_ - *pasted_at_ < kPasteSettleMs;
  const bool deaf = start_at_ || now_ - prompt_at_ < kDeafMs;
  if (box_.empty() || glued || deaf || strikes(Fault::kSwallowEnter)) return;
  exit_hint_until_.reset();
  std::string message = box_.take();
  if (is_command(message)) return run_command(message);
  accepted_.push_back(message);
  queue_.push_back(std::move(message));
}

void Agent::on_paste(const std::string& text) {
  pasted_at_ = now_;
  if (strikes(Fault::kLosePaste)) return;
  if (strikes(Fault::kDieOnPaste)) return exit(1);
  box_.paste(text);
  if (strikes(Fault::kLateRepaint)) frozen_until_ = now_ + player_.scaled(kLateRepaintMs);
  if (strikes(Fault::kDialogOnPaste)) {
    dialog_.emplace(kInterruption);
    asked_by_ = AskedBy::kFault;
  }
}

void Agent::on_interrupt_key() {
  if (!box_.empty()) return box_.clear();
  if (exit_hint_until_) return exit(0);
  if (player_.working()) player_.interrupt();
  exit_hint_until_ = now_ + kExitHintMs;
}

void Agent::run_command(const std::string& name) {
  if (name.ends_with("exit") || name.ends_with("quit")) return exit(0);
  Transcript& transcript = player_.transcript();
  if (name == "/clear") {
    transcript.clear();
    return add_banner();
  }
  transcript.add(EntryKind::kUser, name);
  transcript.add(EntryKind::kResult,
                 name == "/help" ? "/clear  forget what was said\n/exit   leave\n/help   this"
                                 : "Unknown command: " + name);
}

void Agent::exit(int code) {
  exit_code_ = code;
  if (code != 0) return;
  dialog_.reset();
  draw();
  painter_.leave(output_);
  output_ += kModesOff;
}

bool Agent::strikes(Fault fault) {
  if (scenario_->fault != fault || fault_struck_) return false;
  fault_struck_ = true;
  return true;
}

void Agent::add_banner() {
  player_.transcript().add(EntryKind::kBanner,
                           "▗▄▖  orch demo agent\n"
                           "▐▟▌  a scripted terminal UI: no model, no network");
  // As real agents do, it draws the old conversation again, including words that orch could mistake
  // for a new answer.
  for (const std::string& message : std::exchange(remembered_, {})) {
    player_.transcript().add(EntryKind::kUser, message);
    player_.transcript().add(EntryKind::kSaid, "That was done.\n\nLOOP_COMPLETE");
  }
}

void Agent::settle() {
  if (exit_code_) return;
  if (player_.state() == Player::State::kIdle && !queue_.empty()) {
    player_.begin(queue_.front(), now_);
    queue_.pop_front();
  }
  if (player_.state() == Player::State::kLeft) return exit(player_.code());
  if (player_.state() == Player::State::kAsking && !dialog_) {
    dialog_.emplace(player_.question());
    asked_by_ = AskedBy::kTurn;
  }
  if (!start_at_) draw();
}

}  // namespace orch::demo
