#include "transcript_rig.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace orch::driver {

const adapters::TranscriptSpec& bulleted() {
  static const adapters::TranscriptSpec spec = [] {
    adapters::TranscriptSpec s;
    s.agent = "^● ";
    s.tool = "^● [A-Z]\\w*\\(|^  ⎿";
    s.notice = "^◆ ";
    s.chrome = "^▐ ";
    s.busy = "^  ⎿  Running";
    s.drop = {"^─{5,}$", "^\\* "};
    return s;
  }();
  return spec;
}

uint64_t ListedRows::key(size_t row) const {
  const uint64_t hash = std::hash<std::string>()(rows_[row].text);
  if (hash % 8 == 0) return 0;  // it is not known of every row
  return (hash | 1) ^ static_cast<uint64_t>(rows_[row].ink) << 40;
}

ListedRows rows_of(const std::vector<std::string>& texts) {
  std::vector<ScreenRow> rows;
  for (const std::string& text : texts) rows.push_back({text, false});
  return ListedRows(std::move(rows));
}

void scroll_off(Transcript& transcript, ScreenRow row) { transcript.scrolled_off(row); }

void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now) {
  show(transcript, rows, now, rows.size());
}

void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now, size_t live) {
  transcript.look(now, rows_of(rows), live);
  transcript.settle();
}

std::vector<std::string> texts_of(Transcript& transcript) {
  std::vector<std::string> texts;
  for (const Line& line : transcript.take()) texts.push_back(line.gap ? "(gap)" : line.text);
  return texts;
}

std::vector<std::string> without_blank_lines(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (!line.empty()) words.push_back(line);
  }
  return words;
}

std::string numbered(int number) { return "  line " + std::to_string(number) + " of the answer"; }

namespace {

// Lets `ms` pass, and calls `look` whenever the transcript has rows that have come to rest.
template <typename Look>
void rest(Transcript& transcript, TimeMs& now, TimeMs ms, Look look) {
  const TimeMs end = now + ms;
  for (TimeMs due = now; due <= end;) {
    now = due;
    look();
    due = std::max(transcript.settle_rested(now), now + 1);
  }
  now = end;
}

}  // namespace

std::vector<std::string> rewrapped(const std::vector<std::string>& rows, size_t columns) {
  std::vector<std::string> wrapped;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) wrapped.push_back(std::exchange(line, {}));
  };
  for (const std::string& row : rows) {
    if (row.empty() || !row.starts_with("  ")) end_line();
    if (row.empty()) wrapped.emplace_back();
    std::istringstream words(row);
    for (std::string word; words >> word;) {
      if (line.size() + 1 + word.size() > columns) end_line();
      line += line.empty() ? (word == "●" ? "" : "  ") : " ";
      line += word;
    }
  }
  end_line();
  return wrapped;
}

void Terminal::look(size_t rows) {
  std::vector<std::string> screen = log_;
  screen.insert(screen.end(), live_.begin(), live_.end());
  transcript_.look(now_, rows_of(screen), std::min(rows, log_.size()));
}

void Terminal::wait(TimeMs ms) {
  rest(transcript_, now_, ms, [this] { look(); });
}

void Window::wait(TimeMs ms) {
  rest(transcript_, now_, ms, [this] { frame(); });
}

void Terminal::redraw() {
  transcript_.screen_cleared(now_);
  draw_over();
}

void Terminal::redraw(size_t columns) {
  all_.insert(all_.end(), log_.begin(), log_.end());
  log_.clear();
  all_ = rewrapped(all_, columns);
  redraw();
}

void Terminal::draw_over() {
  std::vector<std::string> lines = std::exchange(all_, {});
  lines.insert(lines.end(), log_.begin(), log_.end());
  log_.clear();
  for (const std::string& line : lines) append(line);
}

void Terminal::fit() {
  while (log_.size() + live_.size() > height_) {
    if (log_.empty()) return live_.resize(height_);
    scroll_off(transcript_, {log_.front(), false});
    all_.push_back(log_.front());
    log_.erase(log_.begin());
  }
}

void Window::append(int first, int count) {
  for (int number = first; number < first + count; ++number) append(numbered(number));
}

std::vector<std::string> any_live_area(std::mt19937& random) {
  std::vector<std::string> rows;
  for (size_t i = random() % 4; i > 0; --i)
    rows.push_back("* Working… " + std::to_string(random() % 9));
  rows.push_back("──────────");
  return rows;
}

void Window::frame(size_t rows_up) {
  const size_t end = log_.size() - std::min(rows_up, log_.size());
  const size_t begin = end - std::min(end, room());
  std::vector<std::string> rows = header_;
  rows.insert(rows.end(), log_.begin() + static_cast<ptrdiff_t>(begin),
              log_.begin() + static_cast<ptrdiff_t>(end));
  const size_t live = rows.size();
  rows.insert(rows.end(), live_.begin(), live_.end());
  transcript_.look(now_, rows_of(rows), live, true);
}

}  // namespace orch::driver
