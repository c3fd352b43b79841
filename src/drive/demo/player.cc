#include "demo/player.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/replace.h"
#include "fmt/core.h"

namespace orch::demo {
namespace {

constexpr std::string_view kInterrupted = "Interrupted · What should the agent do instead?";

std::string as_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Player::Player(const Scenario& scenario, const Pace& pace, int width)
    : scenario_(&scenario), pace_(pace), transcript_(width), random_(pace.seed) {}

int64_t Player::scaled(int64_t ms) const {
  return static_cast<int64_t>(static_cast<double>(ms) * pace_.speed);
}

std::optional<int64_t> Player::deadline() const { return working() ? due_ : std::nullopt; }

void Player::begin(const std::string& message, int64_t now_ms) {
  ORCH_CHECK(state_ == State::kIdle);
  message_ = message;
  transcript_.add(EntryKind::kUser, message);
  turn_ = scenario_->turns[std::min(messages_, scenario_->turns.size() - 1)];
  ++messages_;
  began_ = now_ms;
  failed_ = false;
  step_ = 0;
  next_step(now_ms);
}

void Player::on_time(int64_t now_ms) {
  // A step that is late is played as of the time when it was due, so that the times of the calls
  // change nothing.
  while (deadline() && *due_ <= now_ms) {
    const int64_t at = *due_;
    if (state_ == State::kStreaming && streamed_ < stream_.size()) {
      stream(at);
    } else {
      finish_step(at);
    }
  }
}

void Player::answer(std::optional<size_t> option, int64_t now_ms) {
  ORCH_CHECK(state_ == State::kAsking);
  if (!option) return interrupt();
  const std::string_view chosen = question_->options[*option];
  if (const auto* permission = std::get_if<Permission>(&turn_[step_]); permission == nullptr) {
    transcript_.add(EntryKind::kResult, chosen);
  } else if (*option == 0) {
    transcript_.replace(permission->result);
  } else {
    transcript_.replace(chosen);
    step_ = turn_.size();
    return say(filled(permission->refused), 0, now_ms);
  }
  ++step_;
  next_step(now_ms);
}

void Player::interrupt() {
  if (state_ == State::kAsking && std::holds_alternative<Permission>(turn_[step_])) {
    transcript_.replace(kInterrupted);
  } else {
    transcript_.add(EntryKind::kResult, kInterrupted);
  }
  state_ = State::kIdle;
}

void Player::next_step(int64_t now_ms) {
  if (step_ >= turn_.size()) return end_turn(now_ms);
  std::visit([this, now_ms](const auto& step) { begin_step(step, now_ms); }, turn_[step_]);
}

void Player::begin_step(const Think& step, int64_t now_ms) {
  be_busy(step.verb, now_ms + scaled(step.ms));
}

void Player::begin_step(const Say& step, int64_t now_ms) { say(filled(step.text), 0, now_ms); }

void Player::begin_step(const Count& step, int64_t now_ms) {
  const int lines = pace_.lines > 0 ? pace_.lines : scenario_->lines;
  std::string text;
  for (int n = 1; n <= lines; ++n) {
    text += fmt::format("line {} of {}{}", n, lines, n < lines ? "\n" : "");
  }
  say(std::move(text), step.lines_per_tick, now_ms);
}

void Player::begin_step(const Tool& step, int64_t now_ms) {
  transcript_.add(EntryKind::kTool, step.call);
  transcript_.add(EntryKind::kResult, "Running…");
  be_busy("Working", now_ms + scaled(step.ms));
}

void Player::begin_step(const Permission& step, int64_t) {
  transcript_.add(EntryKind::kTool, step.call);
  transcript_.add(EntryKind::kResult, "Waiting…");
  question_ = step.dialog;
  state_ = State::kAsking;
}

void Player::begin_step(const Question& step, int64_t) {
  question_ = step.dialog;
  state_ = State::kAsking;
}

void Player::begin_step(const Fail& step, int64_t) {
  transcript_.add(EntryKind::kFailed, step.text);
  failed_ = true;
  state_ = State::kIdle;
}

void Player::begin_step(const Hang&, int64_t) { be_busy("Thinking", std::nullopt); }

void Player::begin_step(const Forge& step, int64_t now_ms) {
  forged_ += step.bytes;
  be_busy("Working", now_ms + scaled(step.ms));
}

void Player::begin_step(const Leave& step, int64_t) {
  code_ = step.code;
  state_ = State::kLeft;
}

void Player::be_busy(std::string_view verb, std::optional<int64_t> until_ms) {
  state_ = State::kBusy;
  verb_ = verb;
  due_ = until_ms;
}

void Player::say(std::string text, int lines_per_tick, int64_t now_ms) {
  state_ = State::kStreaming;
  stream_ = std::move(text);
  streamed_ = 0;
  lines_per_tick_ = lines_per_tick;
  transcript_.add(EntryKind::kSaid, "");
  stream(now_ms);
}

void Player::stream(int64_t now_ms) {
  size_t end = streamed_;
  if (lines_per_tick_ == 0) end = std::min(streamed_ + 1 + random_() % 24, stream_.size());
  for (int line = 0; line < lines_per_tick_ && end < stream_.size(); ++line) {
    end = std::min(stream_.find('\n', end), stream_.size() - 1) + 1;
  }
  const auto inside_character = [this](size_t at) {
    return at < stream_.size() && (static_cast<unsigned char>(stream_[at]) & 0xC0U) == 0x80U;
  };
  while (inside_character(end)) ++end;
  transcript_.append(std::string_view(stream_).substr(streamed_, end - streamed_));
  streamed_ = end;
  due_ = now_ms + scaled(kStreamTickMs);
}

void Player::finish_step(int64_t now_ms) {
  if (step_ < turn_.size()) {
    if (const auto* tool = std::get_if<Tool>(&turn_[step_])) transcript_.replace(tool->result);
  }
  ++step_;
  next_step(now_ms);
}

void Player::end_turn(int64_t now_ms) {
  transcript_.add(EntryKind::kWorked, fmt::format("Worked for {}s", (now_ms - began_) / 1000));
  state_ = State::kIdle;
}

std::string Player::filled(std::string_view text) const {
  std::string out(text);
  base::replace_all(out, "{n}", std::to_string(messages_));
  base::replace_all(out, "{message}", as_json(message_));
  return out;
}

}  // namespace orch::demo
