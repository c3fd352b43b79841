#include "run/completion.h"

#include <algorithm>

#include "base/text.h"

namespace orch::run {
namespace {

// The keyword and nothing else; `text` is a whole line.
bool is_keyword(std::string_view text, std::string_view keyword) {
  text = base::trim(text);
  for (const std::string_view mark : {"**", "__", "`"}) {
    if (text.size() > 2 * mark.size() && text.starts_with(mark) && text.ends_with(mark)) {
      text = text.substr(mark.size(), text.size() - 2 * mark.size());
    }
  }
  return text == keyword;
}

bool is_set_apart(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

// The mark and the length of the fence that a line is, length 0 for any other line.
struct Fence {
  char mark = 0;
  size_t length = 0;
  bool closes = false;  // nothing stands behind it
};

Fence fence_of(std::string_view line) {
  const std::string_view text = base::trim(line);
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return {};
  const size_t length = std::min(text.find_first_not_of(text.front()), text.size());
  if (length < 3) return {};
  return {text.front(), length, length == text.size()};
}

}  // namespace

void Completion::begin_turn() {
  verdict_ = Verdict::kNot;
  fenced_ = recorded_ = false;
}

void Completion::on_line(const agent::Line& line) {
  using agent::Speaker;
  if (line.speaker == Speaker::kUser) return begin_turn();
  const bool speaks = line.speaker == Speaker::kAgent || line.speaker == Speaker::kTool;
  if (!speaks || line.gap || base::trim(line.text).empty()) return;
  if (line.speaker == Speaker::kAgent && is_keyword(line.text, keyword_)) {
    verdict_ = fenced_                    ? Verdict::kFenced
               : is_set_apart(line.text) ? Verdict::kSetApart
               : line.continues          ? Verdict::kContinued
                                         : Verdict::kSaid;
    return;
  }
  if (line.speaker == Speaker::kAgent && fence_of(line.text).length > 0) fenced_ = !fenced_;
  if (verdict_ == Verdict::kSaid) verdict_ = Verdict::kFollowed;
}

void Completion::on_record(const agent::Recorded& recorded) {
  recorded_ = true;
  verdict_ = verdict_of(recorded.last_words);
  if (verdict_ == Verdict::kSaid && recorded.tool_after) verdict_ = Verdict::kFollowed;
}

Completion::Verdict Completion::verdict_of(std::string_view markdown) const {
  Fence open;
  Verdict verdict = Verdict::kNot;
  bool quoted = false;  // a quotation goes on until a blank line
  for (const std::string_view line : base::split_lines(markdown)) {
    const Fence fence = fence_of(line);
    if (fence.length > 0) {
      if (open.length == 0) {
        open = fence;
      } else if (fence.mark == open.mark && fence.length >= open.length && fence.closes) {
        open = {};
      }
    }
    const std::string_view text = base::trim(line);
    if (text.empty()) {
      quoted = false;
      continue;
    }
    quoted = quoted || text.starts_with('>');
    if (!is_keyword(line, keyword_)) {
      if (verdict == Verdict::kSaid) verdict = Verdict::kFollowed;
    } else {
      verdict = open.length > 0                   ? Verdict::kFenced
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

std::string completion_instruction(std::string_view keyword) {
  return "When all of this is done, and only then, say " + std::string(keyword) +
         " on a line of its own.";
}

std::string continue_message(std::string_view keyword) {
  return "Continue with the task. " + completion_instruction(keyword);
}

}  // namespace orch::run
