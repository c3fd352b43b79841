#include "driver/speakers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace orch::driver {
namespace {

std::optional<base::Pattern> pattern_of(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  ORCH_CHECK(pattern.ok());
  return std::move(pattern).value();
}

std::vector<base::Pattern> patterns_of(const std::vector<std::string>& expressions) {
  std::vector<base::Pattern> patterns;
  for (const std::string& expression : expressions) {
    if (auto pattern = pattern_of(expression)) patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

bool matches(const std::optional<base::Pattern>& pattern, std::string_view row) {
  return pattern && pattern->matches(row);
}

}  // namespace

Speakers::Speakers(const adapters::TranscriptSpec& spec, const std::string& user_message)
    : user_(pattern_of(user_message)),
      user_end_(pattern_of(spec.user_end)),
      agent_(pattern_of(spec.agent)),
      tool_(pattern_of(spec.tool)),
      notice_(pattern_of(spec.notice)),
      chrome_(pattern_of(spec.chrome)),
      side_(pattern_of(spec.side)),
      busy_(pattern_of(spec.busy)),
      margin_(pattern_of(spec.margin)),
      drop_(patterns_of(spec.drop)),
      frame_(patterns_of(spec.frame)),
      indent_(static_cast<size_t>(spec.indent)),
      smears_(spec.smears) {}

Speakers::Reading Speakers::read(std::string_view row, Speaker before) const {
  if (plain()) return {Speaker::kAgent};
  Speaker speaker = before;
  if (before == Speaker::kUser && matches(user_end_, row)) speaker = Speaker::kAgent;
  const auto fits = [row](const base::Pattern& pattern) { return pattern.matches(row); };
  if (std::any_of(drop_.begin(), drop_.end(), fits)) return {speaker, false};
  if (matches(side_, row)) {
    const bool goes_on = before == Speaker::kUser || before == Speaker::kTool;
    if (!goes_on) speaker = matches(tool_, row) ? Speaker::kTool : Speaker::kUser;
  } else if (matches(user_, row)) {
    speaker = Speaker::kUser;
  } else if (matches(chrome_, row)) {
    speaker = Speaker::kChrome;
  } else if (matches(notice_, row)) {
    speaker = Speaker::kNotice;
  } else if (matches(tool_, row)) {
    speaker = Speaker::kTool;
  } else if (matches(agent_, row)) {
    speaker = Speaker::kAgent;
  }
  return {speaker, speaker != Speaker::kChrome};
}

// A block with a bar beside it has no row without.
Speaker Speakers::after_blank(Speaker before) const {
  const bool ends = side_ && (before == Speaker::kUser || before == Speaker::kTool);
  return ends ? Speaker::kChrome : before;
}

Line Speakers::line(std::string_view row, Speaker speaker) const {
  if (plain()) return {std::string(row), speaker};
  std::string text(row);
  if (speaker == Speaker::kTool || side_) {
    for (const base::Pattern& frame : frame_) {
      std::string inside;
      if (frame.capture(text, &inside)) text = std::move(inside);
    }
  }
  std::string_view rest = text;
  const bool marker = speaker == Speaker::kUser   ? matches(user_, row)
                      : speaker == Speaker::kAgent ? matches(agent_, row)
                                                   : false;
  for (size_t column = 0; column < indent_ && !rest.empty(); ++column) {
    if (!marker && rest.front() != ' ') break;
    rest.remove_prefix(base::decode_utf8(rest).length);
  }
  if (speaker == Speaker::kUser) rest = base::trim(rest);
  return {std::string(rest), speaker};
}

bool Speakers::may_change(std::string_view row) const { return matches(busy_, row); }

void Speakers::cut_margin(std::string& row) const {
  std::string inside;
  if (margin_ && margin_->capture(row, &inside)) row = std::move(inside);
}

}  // namespace orch::driver
