#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "agent/line.h"
#include "base/pattern.h"

namespace orch::driver {

using agent::Line;
using agent::Speaker;

// A row of the screen: its text without trailing blanks, but with them where it is wrapped.
struct ScreenRow {
  std::string text;
  bool wrapped = false;  // its text goes on in the next row
};

// Turns rows of the screen into lines that are each told once and in order, though agents repaint,
// rewrap and scroll what they drew. A row is told when it scrolls off, or when the owner says that
// the rows above the live part of the interface have settled. Rows told while still on the screen
// are remembered, so that they are known again when they scroll off; the words that were told are,
// so that they are known again when the screen is redrawn in another layout.
class Transcript {
 public:
  // Patterns were checked when the manifest was read. `user_message` may be empty.
  Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message);

  // The top row of the main screen scrolled off.
  void scrolled_off(const ScreenRow& row);
  // The rows of the screen as they are now; of the first `settled` the text is final, and they end
  // with the end of a line.
  void settle(const std::vector<ScreenRow>& rows, size_t settled);
  // The application draws its screen anew, perhaps in another width: what was told may come again.
  // Not so with a program whose every line is its words; it just says them again.
  void screen_cleared();

  std::vector<Line> take();                         // what was told since the last take
  size_t waiting() const { return lines_.size(); }  // for take()

 private:
  void add(const ScreenRow& row);
  void end_line();
  void tell(std::string_view row);
  bool told_again(std::string& text);
  void forget_oldest();
  Line classify(std::string_view row);

  std::optional<base::Pattern> user_, user_end_, agent_, tool_, notice_;
  std::vector<base::Pattern> drop_;
  size_t indent_;

  std::deque<std::string> visible_;  // rows told that are still on the screen, top first
  std::string told_;                 // all that was told, without blanks, bounded; for redraws
  size_t redraw_at_ = 0;             // a redraw has shown told_ up to here
  size_t redraw_end_ = 0;            // ... and ends here
  std::string partial_;              // rows of a line that goes on
  Speaker speaker_ = Speaker::kChrome;
  bool blank_pending_ = false;
  bool spoken_ = false;  // a line was told
  std::vector<Line> lines_;

  static constexpr size_t kMaxTold = 1 << 20;  // bytes; more than the scrollback that agents redraw
  static constexpr size_t kMaxLine = 1 << 20;  // bytes; a line without an end is told in pieces
};

}  // namespace orch::driver
