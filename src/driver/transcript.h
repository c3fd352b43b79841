#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "agent/line.h"
#include "base/time.h"
#include "driver/speakers.h"
#include "driver/told_words.h"

namespace orch::driver {

using base::TimeMs;

// A row of the screen: its text without trailing blanks, but with them where it is wrapped.
struct ScreenRow {
  std::string text;
  bool wrapped = false;  // its text goes on in the next row
};

// Turns rows of the screen into lines that are each told once and in order, though agents repaint,
// rewrap and scroll what they drew.
//
// A row is told when it leaves the screen at the top, when it has stood for a while, or when the
// owner says that the rows above the live part of the interface have settled. Rows told while still
// on the screen are remembered, so that they are known again there and when they leave it; the
// words that were told are, so that they are known again when all is drawn anew.
class Transcript {
 public:
  // Patterns were checked when the manifest was read. `user_message` may be empty.
  Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message);
  explicit Transcript(std::shared_ptr<const Speakers> speakers);  // not null

  void set_columns(int columns) { columns_ = columns; }  // of the screen
  // The top row of the main screen scrolled off.
  void scrolled_off(ScreenRow row);
  // The rows of the screen as they are now; the first `live` stand above the live part of the
  // interface. A `window` is a screen that the application scrolls by itself (the alternate one):
  // rows that are gone from its top have scrolled off.
  void look(TimeMs now, std::vector<ScreenRow> rows, size_t live, bool window = false);
  // All rows above the live part are final.
  void settle();
  // ... but those of a tool that stands last: it waits to be allowed.
  void settle_before_tool() { settle(before_unfinished()); }
  // ... but the last line, which may still grow, and a tool that is not done.
  void settle_followed();
  // Tells the rows that have stood long enough. Returns when to look again for more of them, kNever
  // when the screen has to change first.
  TimeMs settle_rested(TimeMs now);
  // What stands on the screen is all there will be.
  void finish();
  // The application shows another screen: its rows go on with nothing.
  void screen_replaced(TimeMs now);
  // The application draws its screen anew, perhaps in another width: what was told may come again.
  // Not so with a program whose every line is its words; it just says them again.
  void screen_cleared(TimeMs now);

  std::vector<Line> take();                         // what was told since the last take
  size_t waiting() const { return lines_.size(); }  // for take()

 private:
  struct ViewRow {
    ScreenRow row;
    TimeMs since = 0;  // it stands as it is since then
    bool told = false;
    bool line = false;                   // ... and a line of the transcript
    bool header = false;                 // it stays at the top while the rows under it scroll
    size_t said = 0;                     // so many bytes of its words were told: it has grown
    Speaker speaker = Speaker::kChrome;  // of a row that was told, of its beginning too
    bool blank() const;
  };
  using View = std::vector<ViewRow>;
  struct Vanished {  // a line that was told and does not stand where it stood
    std::string text;
    Speaker speaker;
    TimeMs at;
  };
  struct RedrawnRow {
    std::string text;
    Speaker speaker;  // as the row itself says
    bool after_blank;
    size_t shown;  // bytes of its words that were told before,
    Speaker told;  // by whom
  };
  struct Held {
    Line line;
    std::string words;
    bool after_blank;
  };

  // transcript_view.cc; `places` are those of `now`'s rows in view_.
  enum class Comparison : uint8_t { kSame, kOther, kNoneBefore, kNoneNow };
  Comparison compare(const std::vector<size_t>& places, size_t live, const View& now) const;
  Speaker speaker_above() const;
  ptrdiff_t shift_of(const std::vector<size_t>& places, size_t live) const;
  size_t move(const std::vector<size_t>& places, size_t live, bool window, View& now);
  void jump(const std::vector<size_t>& places, View& now);
  void come_back(const std::vector<size_t>& places, size_t first, View& now) const;
  void know_again(const std::vector<size_t>& places, View& now) const;
  void know_returned(TimeMs at, const std::vector<size_t>& places, size_t gone, View& now);

  // transcript_redraw.cc
  bool redrawing() const { return redraw_ends_ != base::kNever; }
  void note_drawn_anew(std::string_view row);
  void note_cleared(TimeMs now);
  void begin_redraw(TimeMs now);
  void see_redraw(TimeMs now);
  void add_redrawn(std::string_view row, std::string_view words, Speaker& speaker);
  void forget_cleared(TimeMs now);
  static std::vector<std::string> words_of_rows(const std::deque<RedrawnRow>& rows);
  bool begins_with_run(const std::vector<std::string>& words) const;
  void forget_or_end_redraw();
  void end_redraw();
  size_t rows_known(std::deque<RedrawnRow>& rows, const std::vector<std::string>& words) const;

  std::vector<Speakers::Reading> read(const View& view, size_t end, Speaker above) const;
  size_t before_unfinished() const;
  TimeMs rest_ms(size_t row, bool grows) const;
  void settle(size_t settled);
  // These carry the speaker of the document from row to row.
  void tell_row(ViewRow& row, Speaker& speaker);
  void add(const ScreenRow& row, Speaker& speaker);
  void end_line(Speaker& speaker);
  void tell(std::string_view row, Speaker& speaker);
  Line line_of(std::string_view row, Speaker speaker, bool after_blank);
  void say(Line line, std::string_view words);
  void say_now(Line line, std::string_view words, bool after_blank);
  void release();

  static constexpr int kAllRoom = 1'000'000;

  const std::shared_ptr<const Speakers> shared_speakers_;
  const Speakers& speakers_ = *shared_speakers_;
  int columns_ = 80;

  View view_;                           // the rows seen last, top first
  TimeMs seen_at_ = 0;                  // when they were
  size_t live_ = 0;                     // so many of them stand above the live part
  Speaker speaker_ = Speaker::kChrome;  // of the row above the first of them
  bool scrolled_ = false;               // a row has scrolled off since
  bool emptied_ = false;                // lines stood in the window, none has stood there since
  std::deque<Vanished> vanished_;

  ToldWords told_;
  std::deque<RedrawnRow> redrawn_;     // the rows of a redraw so far
  TimeMs redraw_ends_ = base::kNever;  // if nothing more of it comes
  bool redraw_goes_on_ = false;        // it has shown known words since the last look
  bool cleared_ = false;               // it began with an empty screen
  TimeMs cleared_at_ = 0;

  std::optional<Held> held_;                 // a line that the next one may show to be left behind
  std::string partial_;                      // rows of a line that goes on
  int room_ = kAllRoom;                      // columns left behind the row that was told last
  Speaker last_speaker_ = Speaker::kChrome;  // of the line that was told last
  bool blank_pending_ = false;
  bool gap_pending_ = false;
  bool spoken_ = false;  // a line was told
  std::vector<Line> lines_;
};

}  // namespace orch::driver
