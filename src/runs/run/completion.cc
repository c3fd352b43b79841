#include "run/completion.h"

#include "base/text.h"

namespace orch::run {
namespace {

bool is_set_apart(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

}  // namespace

bool is_keyword(std::string_view line, std::string_view keyword) {
  std::string_view text = base::trim(line);
  for (const std::string_view mark : {"**", "__", "`"}) {
    if (text == keyword) return true;
    if (text.size() > 2 * mark.size() && text.starts_with(mark) && text.ends_with(mark)) {
      text = text.substr(mark.size(), text.size() - 2 * mark.size());
    }
  }
  return text == keyword;
}

void Completion::begin_turn() {
  verdict_ = Verdict::kNot;
  recorded_ = false;
  fences_ = {};
}

void Completion::on_line(const agent::Line& line) {
  using agent::Speaker;
  if (line.speaker == Speaker::kUser) return begin_turn();
  const bool speaks = line.speaker == Speaker::kAgent || line.speaker == Speaker::kTool;
  if (!speaks || line.gap || base::trim(line.text).empty()) return;
  if (line.speaker == Speaker::kAgent) fences_.on_line(line.text);
  if (line.speaker == Speaker::kAgent && is_keyword(line.text, keyword_)) {
    verdict_ = fences_.open()            ? Verdict::kFenced
               : is_set_apart(line.text) ? Verdict::kSetApart
               : line.continues          ? Verdict::kContinued
                                         : Verdict::kSaid;
    return;
  }
  if (verdict_ == Verdict::kSaid) verdict_ = Verdict::kFollowed;
}

void Completion::on_record(const agent::Recorded& recorded) {
  recorded_ = true;
  verdict_ = verdict_of(recorded.last_words);
  if (verdict_ == Verdict::kSaid && recorded.tool_after) verdict_ = Verdict::kFollowed;
}

Completion::Verdict Completion::verdict_of(std::string_view markdown) const {
  Fences fences;
  Verdict verdict = Verdict::kNot;
  bool quoted = false;  // a quotation goes on until a blank line
  for (const std::string_view line : base::split_lines(markdown)) {
    fences.on_line(line);
    const std::string_view text = base::trim(line);
    if (text.empty()) {
      quoted = false;
      continue;
    }
    quoted = quoted || text.starts_with('>');
    if (!is_keyword(line, keyword_)) {
      if (verdict == Verdict::kSaid) verdict = Verdict::kFollowed;
    } else {
      verdict = fences.open()                  ? Verdict::kFenced
                : is_set_apart(line) || quoted ? Verdict::kSetApart
                                               : Verdict::kSaid;
    }
  }
  return verdict;
}

std::string Completion::why() const {
  const std::string source = recorded_ ? " (by the agent's own record)" : "";
  switch (verdict_) {
    case Verdict::kNot:
      return keyword_ + " was not said on a line of its own" + source;
    case Verdict::kSaid:
      return keyword_ + " stands alone as the last of the turn's words" + source;
    case Verdict::kFollowed:
      return keyword_ + " was said, but words or a tool came after it" + source;
    case Verdict::kContinued:
      return keyword_ + " ends a sentence that goes on from the row before";
    case Verdict::kFenced:
      return keyword_ + " stands in a fence" + source;
    case Verdict::kSetApart:
      return keyword_ + " is set apart from the words: code, a quotation or a list" + source;
  }
  return "";
}

base::Status check_keyword(std::string_view keyword) {
  if (keyword.empty() || base::trim(keyword) != keyword || base::printable(keyword) != keyword) {
    return base::usage_error(
        "--complete-keyword must be one word or phrase of printable characters");
  }
  constexpr std::string_view kMarkup = "*_`~>#|";
  const bool marks_up = kMarkup.find(keyword.front()) != std::string_view::npos;
  if (!marks_up && !begins_list_item(keyword)) return base::Ok{};
  return base::usage_error("--complete-keyword: agents write Markdown, in which " +
                           std::string(keyword) +
                           " is not a plain word; take one that begins with a letter");
}

std::string completion_instruction(std::string_view keyword) {
  return "When all of this is done, and only then, say " + std::string(keyword) +
         " on a line of its own.";
}

std::string continue_message(std::string_view keyword) {
  return "Continue with the task. " + completion_instruction(keyword);
}

}  // namespace orch::run
