#include "host/session_report.h"

#include <algorithm>
#include <string_view>

#include "agent/dialog_request.h"
#include "base/text.h"
#include "event/question.h"

namespace orch::host {
namespace {

constexpr size_t kMostTitleBytes = 500;
constexpr size_t kMostCommandBytes = 32 << 10, kMostBodyBytes = 32 << 10;
constexpr size_t kMostOptions = 100;  // their numbers have two digits at most

// The beginning of a text, printable, without half a character at its end.
std::string cut(std::string_view text, size_t most) {
  return std::string(base::beginning(base::printable(base::beginning(text, most)), most));
}

// The same for the parts of a dialog, and whether one of them was longer.
class Parts {
 public:
  std::string cut(std::string_view text, size_t most) {
    const std::string all = base::printable(text);
    shortened_ = shortened_ || all.size() > most;
    return std::string(base::beginning(all, most));
  }
  std::string cut_lines(std::string_view text, size_t most) {
    const std::string all = base::printable_lines(text);
    shortened_ = shortened_ || all.size() > most;
    return std::string(base::beginning(all, most));
  }
  void leave_out() { shortened_ = true; }
  bool shortened() const { return shortened_; }

 private:
  bool shortened_ = false;
};

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
  Parts parts;
  report.title = parts.cut(record.title, kMostTitleBytes);
  report.text = parts.cut(event::question_of(record), kMostTitleBytes);
  report.command = parts.cut(in_one_line(record.command), kMostCommandBytes);
  if (report.command.empty()) report.body = parts.cut_lines(dialog.request.body, kMostBodyBytes);
  report.complete = record.complete;
  const size_t options = std::min(dialog.request.options.size(), kMostOptions);
  if (options < dialog.request.options.size()) parts.leave_out();
  for (size_t i = 0; i < options; ++i) {
    const agent::DialogOption& option = dialog.request.options[i];
    report.options.push_back({.number = dialog.request.first + static_cast<int>(i),
                              .text = parts.cut(option.text, kMostTitleBytes),
                              .meaning = std::string(agent::name(option.meaning)),
                              .description = parts.cut(option.description, kMostTitleBytes),
                              .ticked = option.ticked});
  }
  report.shortened = parts.shortened();
  return report;
}

void LastWords::hear(const event::Output& line, int64_t ms) {
  const std::string_view words = base::trim(line.text);
  if (line.speaker != event::Speaker::kAgent || line.gap || words.empty()) return;
  text_ = cut(words, wire::kMostLastWords);
  said_ms_ = ms;
}

}  // namespace orch::host
