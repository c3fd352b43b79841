#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "driver/transcript.h"

namespace orch::driver {

// How the agent of these tests draws: words after "● ", tools as "● Name(" and "  ⎿", echoes of
// messages after "> ", notices after "◆ ", banners after "▐ "; rows of "─" and spinners "* " are no
// words.
const adapters::TranscriptSpec& bulleted();
inline const std::string kUserMessage = "^> \\S";

// Up to three rows of a spinner, and the frame of an input box.
std::vector<std::string> any_live_area(std::mt19937& random);

// Rows as a look at a screen shows them.
class ListedRows final : public ShownRows {
 public:
  explicit ListedRows(std::vector<ScreenRow> rows) : rows_(std::move(rows)) {}
  size_t count() const override { return rows_.size(); }
  uint64_t key(size_t row) const override;
  void read(size_t row, ScreenRow& into) const override { into = rows_[row]; }

 private:
  std::vector<ScreenRow> rows_;
};
ListedRows rows_of(const std::vector<std::string>& texts);
void scroll_off(Transcript& transcript, ScreenRow row);

// Lets the transcript look at a screen that is final and has no live part below the rows.
void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now = 0);
// The same, but only the first `live` rows are above the live part.
void show(Transcript& transcript, const std::vector<std::string>& rows, TimeMs now, size_t live);

// The texts that were told since the last call; "(gap)" stands for a gap.
std::vector<std::string> texts_of(Transcript& transcript);
std::vector<std::string> without_blank_lines(const std::vector<std::string>& lines);

// "  line 1 of the answer"
std::string numbered(int number);

// The same words, wrapped anew to this many columns; each row is indented by two.
std::vector<std::string> rewrapped(const std::vector<std::string>& rows, size_t columns);

// A terminal of `height` rows, on which an agent appends to a log above a live area, as ink and
// codex do. Rows that do not fit scroll off into the transcript.
class Terminal {
 public:
  Terminal(Transcript& transcript, size_t height) : transcript_(transcript), height_(height) {}

  void append(const std::string& line) { log_.push_back(line), fit(); }
  void set_live(std::vector<std::string> rows) { live_ = std::move(rows), fit(); }
  void look() { look(log_.size()); }
  void look(size_t rows);                          // as if the live part began there
  void settle() { look(), transcript_.settle(); }  // the log on the screen is final
  void settle(size_t rows) { look(rows), transcript_.settle(); }
  void redraw();                // erases everything, also the scrollback, and draws all lines again
  void redraw(size_t columns);  // the same, with the lines wrapped anew
  void draw_over();             // draws all lines again from the top of the screen, without erasing
  void wait(TimeMs ms);         // lets rows come to rest

 private:
  void fit();

  Transcript& transcript_;
  size_t height_;
  TimeMs now_ = 0;
  std::vector<std::string> all_, log_, live_;
};

// A window of `height` rows that an agent scrolls by itself: it shows the end of a log above a live
// area, or an earlier part of the log. Nothing scrolls off the terminal, so the transcript has only
// the frames.
class Window {
 public:
  Window(Transcript& transcript, size_t height) : transcript_(transcript), height_(height) {}

  void append(const std::string& line) { log_.push_back(line); }
  void append(int first, int count);  // numbered lines
  void set_header(std::vector<std::string> rows) { header_ = std::move(rows); }
  void set_live(std::vector<std::string> rows) { live_ = std::move(rows); }
  void replace_last(const std::string& line) { log_.back() = line; }
  size_t room() const { return height_ - header_.size() - live_.size(); }  // rows for the log

  void frame(size_t rows_up = 0);  // draws a frame, and lets the transcript see it
  void settle() { frame(), transcript_.settle(); }
  void wait(TimeMs ms);  // lets rows come to rest

 private:
  Transcript& transcript_;
  size_t height_;
  TimeMs now_ = 0;
  std::vector<std::string> header_, log_, live_;
};

}  // namespace orch::driver
