#include "host/session_report.h"

#include <algorithm>
#include <string_view>

#include "agent/dialog_request.h"
#include "base/text.h"
#include "event/question.h"

namespace orch::host {
namespace {

constexpr size_t kMostTitleBytes = 500;
constexpr size_t kMostCommandBytes = 4'000;
constexpr size_t kMostOptions = 100;  // their numbers have two digits at most

// The beginning of a text, printable, without half a character at its end.
std::string cut(std::string_view text, size_t most) {
  return std::string(base::beginning(base::printable(base::beginning(text, most)), most));
}

// Replaces the ends of a command's lines by a visible sign.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += " ⏎ ";
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

wire::DialogReport report_of(const run::WaitingDialog& dialog) {
  const event::Dialog record = agent::record_of(dialog.request, "", "");
  wire::DialogReport report;
  report.id = dialog.id;
  report.kind = record.cause;
  report.title = cut(record.title, kMostTitleBytes);
  report.text = cut(event::question_of(record), kMostTitleBytes);
  report.command = cut(in_one_line(record.command), kMostCommandBytes);
  report.complete = record.complete;
  const size_t options = std::min(dialog.request.options.size(), kMostOptions);
  for (size_t i = 0; i < options; ++i) {
    const agent::DialogOption& option = dialog.request.options[i];
    report.options.push_back({.number = dialog.request.first + static_cast<int>(i),
                              .text = cut(option.text, kMostTitleBytes),
                              .meaning = std::string(agent::name(option.meaning)),
                              .description = cut(option.description, kMostTitleBytes),
                              .ticked = option.ticked});
  }
  return report;
}

void LastWords::hear(const event::Output& line, int64_t ms) {
  const std::string_view words = base::trim(line.text);
  if (line.speaker != event::Speaker::kAgent || line.gap || words.empty()) return;
  text_ = cut(words, wire::kMostLastWords);
  said_ms_ = ms;
}

}  // namespace orch::host
