#include "run/output_check.h"

#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "run/completion.h"

namespace orch::run {
namespace {

using Lines = std::vector<std::string_view>;

bool is_fence(std::string_view line) { return base::trim(line).starts_with("```"); }

std::string joined(const Lines& lines, size_t from, size_t to) {
  std::string text;
  for (size_t n = from; n < to; ++n) text.append(lines[n]).push_back('\n');
  return text;
}

// The words without the keyword and blank lines at their end.
Lines lines_of(std::string_view words, std::string_view keyword) {
  Lines lines;
  for (const std::string_view line : base::split_lines(words)) lines.push_back(line);
  while (!lines.empty() &&
         (base::trim(lines.back()).empty() || is_keyword(lines.back(), keyword))) {
    lines.pop_back();
  }
  return lines;
}

// The value that the lines end with; discarded if they end with none.
base::Json value_of(const Lines& lines) {
  base::Json value = base::parse_json(joined(lines, 0, lines.size()));
  if (!value.is_discarded() || lines.empty()) return value;
  if (is_fence(lines.back())) {
    size_t begin = lines.size() - 1;
    while (begin > 0 && !is_fence(lines[begin - 1])) --begin;
    return base::parse_json(joined(lines, begin, lines.size() - 1));
  }
  for (size_t begin = 1; begin < lines.size() && value.is_discarded(); ++begin) {
    const std::string_view first = base::trim(lines[begin]);
    const bool may_begin = first.starts_with('{') || first.starts_with('[');
    if (may_begin || begin + 1 == lines.size()) {
      value = base::parse_json(joined(lines, begin, lines.size()));
    }
  }
  return value;
}

}  // namespace

void LastWords::on_line(const agent::Line& line) {
  using agent::Speaker;
  if (line.speaker == Speaker::kUser) is_recorded_ = false;
  if (line.speaker == Speaker::kUser || line.speaker == Speaker::kTool) {
    if (!is_recorded_) text_.clear();
    return;
  }
  if (line.speaker != Speaker::kAgent || line.gap || is_recorded_) return;
  if (!text_.empty()) text_ += line.continues ? ' ' : '\n';
  text_ += line.text;
  if (text_.size() > 2 * kMostWords) text_.erase(0, text_.size() - kMostWords);
}

void LastWords::on_record(const agent::Recorded& recorded) {
  is_recorded_ = true;
  text_ = recorded.tool_after ? "" : recorded.last_words;
}

FoundOutput find_output(std::string_view words, std::string_view keyword,
                        const base::JsonSchema& schema) {
  FoundOutput found;
  const base::Json value = value_of(lines_of(words, keyword));
  found.trouble = value.is_discarded() ? "the last words are no JSON value" : schema.why_not(value);
  if (found.trouble.empty()) found.json = base::json_line(value);
  return found;
}

std::string output_instruction(const base::JsonSchema& schema) {
  return "Your last words in the end have to be one JSON value, with nothing else, that fits this "
         "JSON Schema:\n\n    " +
         schema.text();
}

}  // namespace orch::run
