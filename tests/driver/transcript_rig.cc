#include "transcript_rig.h"

#include <algorithm>

namespace orch::driver {

const adapters::TranscriptSpec& bulleted() {
  static const adapters::TranscriptSpec spec = [] {
    adapters::TranscriptSpec s;
    s.agent = "^● ";
    s.tool = "^● [A-Z]\\w*\\(|^  ⎿";
    s.notice = "^◆ ";
    s.drop = {"^─{5,}$", "^\\* "};
    return s;
  }();
  return spec;
}

std::vector<ScreenRow> rows_of(const std::vector<std::string>& texts) {
  std::vector<ScreenRow> rows;
  for (const std::string& text : texts) rows.push_back({text, false});
  return rows;
}

std::vector<std::string> texts_of(Transcript& transcript) {
  std::vector<std::string> texts;
  for (const Line& line : transcript.take()) texts.push_back(line.text);
  return texts;
}

void Terminal::settle() { settle(log_.size()); }

void Terminal::settle(size_t rows) {
  std::vector<std::string> screen = log_;
  screen.insert(screen.end(), live_.begin(), live_.end());
  transcript_.settle(rows_of(screen), std::min(rows, log_.size()));
}

void Terminal::redraw() {
  std::vector<std::string> lines = std::move(all_);
  lines.insert(lines.end(), log_.begin(), log_.end());
  all_.clear();
  log_.clear();
  transcript_.screen_cleared();
  for (const std::string& line : lines) append(line);
}

void Terminal::fit() {
  while (log_.size() + live_.size() > height_) {
    if (log_.empty()) return live_.resize(height_);
    transcript_.scrolled_off({log_.front(), false});
    all_.push_back(log_.front());
    log_.erase(log_.begin());
  }
}

}  // namespace orch::driver
