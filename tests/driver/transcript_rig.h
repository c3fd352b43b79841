#pragma once

#include <string>
#include <vector>

#include "driver/transcript.h"

namespace orch::driver {

// How the agent of these tests draws: "● " words, "● Name(" and "  ⎿" tools, "> " echoes of
// messages, "◆ " notices, rules of "─" and "* " spinners that are dropped.
const adapters::TranscriptSpec& bulleted();
inline const std::string kUserMessage = "^> \\S";

std::vector<ScreenRow> rows_of(const std::vector<std::string>& texts);

// What was told since the last call.
std::vector<std::string> texts_of(Transcript& transcript);

// A terminal of `height` rows on which an agent appends to a log over a live area, as ink and codex
// do: what does not fit scrolls off into the transcript.
class Terminal {
 public:
  Terminal(Transcript& transcript, size_t height) : transcript_(transcript), height_(height) {}

  void append(const std::string& line) { log_.push_back(line), fit(); }
  void set_live(std::vector<std::string> rows) { live_ = std::move(rows), fit(); }
  void settle();  // the log on the screen is final
  void settle(size_t rows);
  void redraw();  // erases everything, the scrollback too, and draws all lines again

 private:
  void fit();

  Transcript& transcript_;
  size_t height_;
  std::vector<std::string> all_, log_, live_;
};

}  // namespace orch::driver
