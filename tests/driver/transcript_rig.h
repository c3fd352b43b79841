#pragma once

#include <string>
#include <vector>

#include "driver/transcript.h"

namespace orch::driver {

// How the agent of these tests draws: "● " words, "● Name(" and "  ⎿" tools, "> " echoes of
// messages, "◆ " notices, "▐ " banners, rules of "─" and "* " spinners that are dropped.
const adapters::TranscriptSpec& bulleted();
inline const std::string kUserMessage = "^> \\S";

std::vector<ScreenRow> rows_of(const std::vector<std::string>& texts);

// The transcript looks at a screen on which all rows are above the live part, and they are final.
void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now = 0);
// The same for the first `live` rows of the screen.
void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now, size_t live);

// What was told since the last call; a gap is "(gap)".
std::vector<std::string> texts_of(Transcript& transcript);
std::vector<std::string> without_blank_lines(const std::vector<std::string>& lines);

// "  line 1 of the answer"
std::string numbered(int number);

// The same words with paragraphs broken anew to so many columns, each row set in by two.
std::vector<std::string> rewrapped(const std::vector<std::string>& rows, size_t columns);

// A terminal of `height` rows on which an agent appends to a log over a live area, as ink and codex
// do: what does not fit scrolls off into the transcript.
class Terminal {
 public:
  Terminal(Transcript& transcript, size_t height) : transcript_(transcript), height_(height) {}

  void append(const std::string& line) { log_.push_back(line), fit(); }
  void set_live(std::vector<std::string> rows) { live_ = std::move(rows), fit(); }
  void look() { look(log_.size()); }
  void look(size_t rows);                          // as if the live part began there
  void settle() { look(), transcript_.settle(); }  // the log on the screen is final
  void settle(size_t rows) { look(rows), transcript_.settle(); }
  void redraw();                // erases everything, the scrollback too, and draws all lines again
  void redraw(size_t columns);  // ... rewrapped
  void draw_over();      // draws all lines again from the top of the screen, nothing is erased
  void wait(TimeMs ms);  // rows come to rest meanwhile

 private:
  void fit();

  Transcript& transcript_;
  size_t height_;
  TimeMs now_ = 0;
  std::vector<std::string> all_, log_, live_;
};

// A window of `height` rows that an agent scrolls by itself: the end of a log over a live area, or
// a place further up. Nothing scrolls off but what the transcript sees in its frames.
class Window {
 public:
  Window(Transcript& transcript, size_t height) : transcript_(transcript), height_(height) {}

  void append(const std::string& line) { log_.push_back(line); }
  void append(int first, int count);  // numbered lines
  void set_header(std::vector<std::string> rows) { header_ = std::move(rows); }
  void set_live(std::vector<std::string> rows) { live_ = std::move(rows); }
  void replace_last(const std::string& line) { log_.back() = line; }
  size_t room() const { return height_ - header_.size() - live_.size(); }  // rows of the log

  void frame(size_t rows_up = 0);  // drawn, and seen
  void settle() { frame(), transcript_.settle(); }
  void wait(TimeMs ms);  // rows come to rest meanwhile

 private:
  Transcript& transcript_;
  size_t height_;
  TimeMs now_ = 0;
  std::vector<std::string> header_, log_, live_;
};

}  // namespace orch::driver
