#include "meta/scripted.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace orch::meta {
namespace {

constexpr int64_t kMostDelayMs = 3'600'000;

// Whether the line is "# key value"; sets `value`.
bool is_comment(std::string_view line, std::string_view key, std::string_view& value) {
  if (!line.starts_with('#')) return false;
  line = base::trim(line.substr(1));
  if (!line.starts_with(key)) return false;
  value = base::trim(line.substr(key.size()));
  return true;
}

bool read_ms(std::string_view text, int64_t& ms) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ms);
  return error == std::errc() && rest == end && ms >= 0 && ms <= kMostDelayMs;
}

base::Error no_time(std::string_view line) {
  return base::usage_error("scripted answer: \"" + base::printable(line) +
                           "\": write milliseconds, like # delay: 500");
}

}  // namespace

base::Result<ScriptedAnswer> read_scripted(const std::string& text) {
  ScriptedAnswer answer{.text = text, .failure = {}, .delay_ms = 0, .limit_ms = {}};
  for (const std::string_view line : base::split_lines(text)) {
    if (!line.starts_with('#')) break;
    std::string_view value;
    if (is_comment(line, "fail:", value)) {
      answer.failure = value.empty() ? "as its script says" : base::printable(value);
    } else if (is_comment(line, "delay:", value)) {
      if (!read_ms(value, answer.delay_ms)) return no_time(line);
    } else if (is_comment(line, "limit:", value)) {
      if (!read_ms(value, answer.limit_ms.emplace())) return no_time(line);
      answer.failure = "at its limit";
    }
  }
  return answer;
}

Scripted::Scripted(loop::Loop& loop, std::vector<ScriptedAnswer> answers)
    : answers_(std::move(answers)), timer_(loop) {}

void Scripted::ask(const Question& /*question*/, OnAnswer on_answer) {
  base::Result<Answer> result = base::usage_error("scripted: the script has no more answers than " +
                                                  std::to_string(answers_.size()));
  int64_t delay_ms = 0;
  limit_ms_.reset();
  if (next_ < answers_.size()) {
    const ScriptedAnswer& answer = answers_[next_++];
    delay_ms = answer.delay_ms;
    limit_ms_ = answer.limit_ms;
    if (answer.failure.empty()) {
      result = Answer{.text = answer.text, .usage = {}};
    } else {
      result = base::Error{base::ErrorCode::kSystem, "scripted: " + answer.failure};
    }
  }
  timer_.start(delay_ms, [result = std::move(result), on_answer = std::move(on_answer)] {
    on_answer(result);
  });
}

}  // namespace orch::meta
