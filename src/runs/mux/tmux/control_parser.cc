#include "mux/tmux/control_parser.h"

#include <utility>

#include "base/text.h"

namespace orch::mux::tmux {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// "TIME NUMBER" out of "TIME NUMBER FLAGS"; "" if one of them is missing.
std::string_view mark_in(std::string_view rest) {
  const size_t first = rest.find(' ');
  const size_t second = first == std::string_view::npos ? first : rest.find(' ', first + 1);
  return second == std::string_view::npos ? std::string_view() : rest.substr(0, second);
}

}  // namespace

void append_unescaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t slash = text.find('\\');
    out += text.substr(0, slash);
    if (slash == std::string_view::npos) return;
    text.remove_prefix(slash);
    if (text.size() >= 4 && is_octal(text[1]) && is_octal(text[2]) && is_octal(text[3])) {
      out += static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
      text.remove_prefix(4);
    } else {
      out += '\\';
      text.remove_prefix(1);
    }
  }
}

void ControlParser::feed(std::string_view bytes, ControlSink& sink) {
  lines_.cut(
      bytes, [&](std::string_view line) { take_line(line, sink); }, [] {});
  tell_output(sink);
}

void ControlParser::take_line(std::string_view line, ControlSink& sink) {
  if (open_) return take_in_block(line, sink);
  if (!line.starts_with('%')) return;
  line.remove_prefix(1);
  const std::string_view name = base::take_until(line, ' ');
  if (name == "output") return take_output(line, false, sink);
  if (name == "extended-output") return take_output(line, true, sink);
  tell_output(sink);
  if (name != "begin") return sink.on_notice(name, line);
  const std::string_view mark = mark_in(line);
  if (mark.empty()) return;
  open_ = Open{};
  open_->mark = mark;
  open_->block.asked = line.substr(mark.size()) == " 1";
}

void ControlParser::take_in_block(std::string_view line, ControlSink& sink) {
  std::string_view rest = line;
  const std::string_view word = base::take_until(rest, ' ');
  const bool closes = (word == "%end" || word == "%error") && mark_in(rest) == open_->mark;
  if (!closes) {
    open_->bytes += line.size();
    if (open_->bytes <= kMaxBlock) open_->block.lines.emplace_back(line);
    return;
  }
  Block block = std::move(open_->block);
  open_.reset();
  block.ok = word == "%end";
  sink.on_block(std::move(block));
}

// Reads "%0 TEXT" or, if extended, "%0 AGE ... : TEXT". Later versions of tmux may put more before
// the colon.
void ControlParser::take_output(std::string_view rest, bool extended, ControlSink& sink) {
  const std::string_view pane = base::take_until(rest, ' ');
  if (extended) {
    const size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return;
    rest.remove_prefix(colon + 2);
  }
  if (pane != pane_) tell_output(sink);
  pane_ = pane;
  append_unescaped(output_, rest);
}

void ControlParser::tell_output(ControlSink& sink) {
  if (output_.empty()) return;
  sink.on_pane_output(pane_, output_);
  output_.clear();
}

}  // namespace orch::mux::tmux
