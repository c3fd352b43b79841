#include "driver/speakers.h"

#include <utility>

#include "base/text.h"

namespace orch::driver {
namespace {

std::optional<base::Pattern> pattern_of(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  return base::Pattern::compile(expression, base::Compiled::kWhenSearched).value();
}

std::vector<base::Pattern> patterns_of(const std::vector<std::string>& expressions) {
  std::vector<base::Pattern> patterns;
  for (const std::string& expression : expressions) {
    if (auto pattern = pattern_of(expression)) patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

}  // namespace

Speakers::Speakers(const adapters::TranscriptSpec& spec, const std::string& user_message)
    : patterns_(base::Compiled::kWhenSearched),
      frame_(patterns_of(spec.frame)),
      margin_(pattern_of(spec.margin)),
      hangs_(pattern_of(spec.hangs)),
      indent_(static_cast<size_t>(spec.indent)),
      letter_(pattern_of("^[\\pL\\pN]").value()),
      smears_(spec.smears),
      plain_(spec.agent.empty()),
      shaded_(spec.shaded) {
  user_ = add(shaded_ && user_message.empty() ? "." : user_message);
  user_end_ = add(spec.user_end);
  agent_ = add(spec.agent);
  tool_ = add(spec.tool);
  grey_tool_ = add(spec.grey_tool);
  colored_tool_ = add(spec.colored_tool);
  colored_user_ = add(spec.colored_user);
  faint_user_ = add(spec.faint_user);
  words_ = add(spec.words);
  notice_ = add(spec.notice);
  chrome_ = add(spec.chrome);
  side_ = add(spec.side);
  busy_ = add(spec.busy);
  for (const std::string& expression : spec.drop) drop_ |= add(expression);
}

std::shared_ptr<const Speakers> Speakers::of(const adapters::Manifest& manifest) {
  return std::make_shared<const Speakers>(manifest.transcript, manifest.rules.user_message);
}

void Speakers::prepare() const {
  if (!plain_) patterns_.prepare();
}

base::PatternBits Speakers::add(const std::string& expression) {
  base::PatternBits bits;
  if (!expression.empty()) bits.set(patterns_.add(expression).value());
  return bits;
}

Speakers::Marks Speakers::marks(const ScreenRow& row) const {
  if (plain_) return {};
  Marks marks = patterns_.match(row.text);
  if (row.ink != Ink::kGrey) marks &= ~grey_tool_;
  if (row.ink == Ink::kPlain) marks &= ~colored_tool_;
  if (row.ink != Ink::kColor) marks &= ~colored_user_;
  if (!row.faint) marks &= ~faint_user_;
  if (shaded_) marks &= row.shaded ? ~(agent_ | words_) : ~(user_ | tool_);
  // The agent's own marker is plain. While a tool runs, its marker blinks.
  const bool says = row.ink == Ink::kPlain && (marks & agent_).any();
  if (row.called && !says) marks |= tool_;
  return marks;
}

Speakers::Reading Speakers::read(const Marks& marks, Speaker before) const {
  if (plain_) return {Speaker::kAgent};
  const auto matches = [&marks](const Marks& pattern) { return (marks & pattern).any(); };
  Speaker speaker = before;
  if (before == Speaker::kUser && matches(user_end_)) speaker = Speaker::kAgent;
  if (matches(drop_)) return {speaker, false};
  // NOLINTBEGIN(bugprone-branch-clone): the first mark counts
  if (matches(side_)) {
    const bool goes_on = before == Speaker::kUser || before == Speaker::kTool;
    if (!goes_on) speaker = matches(tool_) ? Speaker::kTool : Speaker::kUser;
  } else if (matches(user_) &&
             !(shaded_ && (before == Speaker::kTool || matches(tool_ | chrome_)))) {
    speaker = Speaker::kUser;
  } else if (matches(chrome_)) {
    speaker = Speaker::kChrome;
  } else if (matches(notice_)) {
    speaker = Speaker::kNotice;
  } else if (matches(tool_ | grey_tool_ | colored_tool_)) {
    speaker = Speaker::kTool;
  } else if (matches(colored_user_ | faint_user_)) {
    speaker = Speaker::kUser;
  } else if (matches(agent_) || (before == Speaker::kTool && matches(words_))) {
    speaker = Speaker::kAgent;
  }
  // NOLINTEND(bugprone-branch-clone)
  return {speaker, speaker != Speaker::kChrome};
}

// If the agent draws a bar along its blocks, a blank row has no bar and so ends the block.
Speaker Speakers::after_blank(Speaker before) const {
  const bool ends = side_.any() && (before == Speaker::kUser || before == Speaker::kTool);
  return ends ? Speaker::kChrome : before;
}

Line Speakers::line(std::string_view row, Speaker speaker) const {
  if (plain_) return {.text = std::string(row), .speaker = speaker};
  std::string text(row);
  if (speaker == Speaker::kTool || side_.any()) {
    for (const base::Pattern& frame : frame_) {
      std::string inside;
      if (frame.capture(text, &inside)) text = std::move(inside);
    }
  }
  std::string_view rest = text;
  const bool stripped = speaker == Speaker::kUser || speaker == Speaker::kAgent;
  const bool marker = stripped && (patterns_.match(row) & (user_ | colored_user_ | agent_)).any();
  bool marked = false, apart = false;  // the marker was seen; so was a blank behind it
  for (size_t column = 0; column < indent_ && !rest.empty(); ++column) {
    const bool blank = rest.front() == ' ';
    const bool words = column > 0 && !marked && letter_.matches(rest);
    if (!blank && (!marker || apart || words)) break;
    marked = marked || !blank;
    apart = marked && blank;
    rest.remove_prefix(base::decode_utf8(rest).length);
  }
  if (speaker == Speaker::kUser) rest = base::trim(rest);
  return {.text = std::string(rest), .speaker = speaker};
}

bool Speakers::begins_block(std::string_view row) const {
  return row.find_first_not_of(' ') < indent_ &&
         (patterns_.match(row) & (user_ | agent_ | tool_ | notice_)).any();
}

bool Speakers::may_change(const Marks& marks) const { return (marks & busy_).any(); }

void Speakers::cut_margin(std::string& row) const {
  std::string inside;
  if (margin_ && margin_->capture(row, &inside)) row = std::move(inside);
}

}  // namespace orch::driver
