#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "agent/line.h"
#include "base/time.h"
#include "driver/screen_row.h"
#include "driver/speakers.h"
#include "driver/told_words.h"

namespace orch::driver {

using base::TimeMs;

// The rows of a screen at one look. Rows that have not changed since the last look are not read
// again.
class ShownRows {
 public:
  virtual ~ShownRows() = default;
  virtual size_t count() const = 0;
  // A number for the row: if two rows of any two looks have the same number, they are equal, and so
  // is their ink. 0: the row has no number and must be read.
  virtual uint64_t key(size_t row) const = 0;
  virtual void read(size_t row, ScreenRow& into) const = 0;  // `into` holds another row, to reuse
};

// Turns the rows of the screen into lines of the transcript. Each line is reported once and in
// order, although agents repaint, rewrap and scroll their rows.
//
// A row is reported when it scrolls off the top of the screen, when it has not changed for a while,
// or when the owner says that the rows above the live part of the interface have settled. A row
// that was reported while on the screen is remembered, so that it is recognised there and when it
// scrolls off. The words of reported lines are remembered too, to recognise them when the agent
// redraws its whole screen.
class Transcript {
 public:
  // The patterns must be valid, which is checked when a manifest is read. `user_message` may be
  // empty.
  Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message);
  explicit Transcript(std::shared_ptr<const Speakers> speakers);  // not null

  void set_columns(int columns) { columns_ = columns; }  // the width of the screen
  // The top row of the main screen scrolled off.
  void scrolled_off(ScreenRow& row);  // `row` may be changed
  // Shows the rows of the screen as they are now; the first `live` rows are above the live part of
  // the interface. `window` says that the application scrolls the screen by itself, as on the
  // alternate screen: rows that are gone from its top have scrolled off.
  void look(TimeMs now, const ShownRows& rows, size_t live, bool window = false);
  // Whether a look at these rows would change nothing: those above the live part are as they were
  // at the last look, and no row waits for a time.
  bool at_rest(const ShownRows& rows, size_t live) const;
  // Reports all rows above the live part, because they are final.
  void settle();
  // The same without the rows of a tool at the end, which waits for a permission.
  void settle_before_tool();
  // The same without the last line, which may still grow, and without a tool that is not done.
  void settle_followed();
  // Reports the rows that have not changed for long enough. Returns when to call it again, or
  // kNever if the screen has to change first.
  TimeMs settle_rested(TimeMs now);
  // Reports all rows of the screen: no more will come.
  void finish();
  // The application shows another screen, whose rows do not continue those of the last one.
  void screen_replaced(TimeMs now);
  // The application redraws its whole screen, perhaps in another width, so reported lines may come
  // again. For a plain program this does nothing: if its words come again, it says them again.
  void screen_cleared(TimeMs now);
  // A message was entered at the prompt, so the application's own redraw is over. If the same words
  // come now, they are said again.
  void message_entered();

  std::vector<Line> take();                         // the lines that were reported since the last
                                                    // call
  size_t waiting() const { return lines_.size(); }  // lines that wait for take()

 private:
  struct ViewRow {
    ScreenRow row;
    uint64_t key = 0;   // as in ShownRows
    uint64_t hash = 0;  // row_hash() of the text
    // The speaker's marks in the row, once they were looked for.
    mutable std::optional<Speakers::Marks> marks;
    TimeMs since = 0;  // since when the row is as it is
    bool told = false;
    bool line = false;                   // a reported row is a line of the transcript
    bool header = false;                 // the row stays at the top while the rows under it scroll
    size_t said = 0;                     // bytes of the row's words that were reported before it
                                         // grew
    Speaker speaker = Speaker::kChrome;  // set if the row or its beginning was reported
    bool blank() const { return hash == 0; }
    void begin(TimeMs now);  // as a row that has not been seen before
  };
  using View = std::vector<ViewRow>;
  using Readings = std::vector<Speakers::Reading>;
  struct LookBuffers;  // the temporaries of one look
  struct Vanished {    // a reported line that then disappeared from its place
    std::string text;
    Speaker speaker;
    TimeMs at;
  };
  struct RedrawnRow {  // a row that the agent drew during a redraw
    std::string text;
    Speaker speaker;  // by the row's own marker
    bool after_blank;
    size_t shown;        // bytes of the row's words that were reported before
    Speaker told;        // the speaker of these words when they were reported
    bool known = false;  // see mark_known()
  };
  struct Held {  // see held_
    Line line;
    std::string words;
    bool after_blank;
  };

  // These are in transcript_view.cc. `places` has the index in view_ for each row of `now`.
  // Comparison says which lines of the transcript two looks at the screen show: some of the same
  // lines, only others, none at the look before, or none now.
  enum class Comparison : uint8_t { kSame, kOther, kNoneBefore, kNoneNow };
  bool stands(const ShownRows& rows, size_t live) const;
  bool first_rows_stand(const ShownRows& rows, size_t count) const;
  void look_unchanged(TimeMs now);
  void read_rows(const ShownRows& rows, TimeMs now, LookBuffers& buffers) const;
  void find_calls(View& now) const;
  void follow_rows(const std::vector<size_t>& places, View& now) const;
  Comparison compare(const std::vector<size_t>& places, size_t live, const View& now) const;
  void find_lines(const View& view, size_t end, Speaker above, std::vector<char>& is_line) const;
  Speaker speaker_above() const;
  ptrdiff_t shift_of(const std::vector<size_t>& places, size_t live) const;
  size_t move(const std::vector<size_t>& places, size_t live, bool window, View& now);
  void jump(const std::vector<size_t>& places, View& now);
  void come_back(const std::vector<size_t>& places, size_t first, View& now) const;
  void know_again(const std::vector<size_t>& places, View& now) const;
  void know_returned(TimeMs at, const std::vector<size_t>& places, size_t gone, View& now);
  void forget_vanished(TimeMs now);

  // These are in transcript_redraw.cc.
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
  void mark_known(std::deque<RedrawnRow>& rows, const std::vector<std::string>& words) const;
  void mark_drawn_twice(std::deque<RedrawnRow>& rows, const std::vector<std::string>& words,
                        size_t first) const;

  const Speakers::Marks& marks_of(const ViewRow& row) const;
  // The speakers of the first `end` rows, until the next call.
  const Readings& read(const View& view, size_t end, Speaker above) const;
  size_t before_unfinished(const Readings& readings) const;
  TimeMs rest_ms(size_t row, bool grows) const;
  void settle(size_t settled);
  // These take the speaker of the row above and set it to the speaker of this row.
  void tell_row(ViewRow& row, Speaker& speaker);
  void add(const ScreenRow& row, Speaker& speaker);
  void end_line(Speaker& speaker);
  void tell(const ScreenRow& row, Speaker& speaker);
  Line line_of(std::string_view row, Speaker speaker, bool after_blank);
  void say(Line line, std::string_view words);
  void say_now(Line line, std::string_view words, bool after_blank);
  void release();

  static constexpr int kAllRoom = 1'000'000;

  const std::shared_ptr<const Speakers> shared_speakers_;
  const Speakers& speakers_ = *shared_speakers_;
  int columns_ = 80;

  View view_;                           // the rows at the last look, top first
  TimeMs seen_at_ = 0;                  // when the last look was
  size_t live_ = 0;                     // how many of these rows are above the live part
  Speaker speaker_ = Speaker::kChrome;  // the speaker of the row above the first of these rows
  bool scrolled_ = false;               // a row has scrolled off since the last look
  bool emptied_ = false;                // all lines left the window, and none has come since
  std::deque<Vanished> vanished_;

  ToldWords told_;
  std::deque<RedrawnRow> redrawn_;     // the rows of the redraw so far
  TimeMs redraw_ends_ = base::kNever;  // when the redraw is over if nothing more of it comes
  bool redraw_goes_on_ = false;        // the redraw has shown known words since the last look
  // The time is over, but the agent has drawn nothing yet: the redraw begins when it does.
  bool redraw_awaited_ = false;
  bool cleared_ = false;         // the redraw began with an empty screen
  bool stands_cleared_ = false;  // a look has seen the box under no line since then
  TimeMs cleared_at_ = 0;

  std::optional<Held> held_;                 // a line that may prove to be left over by a repaint
  ScreenRow partial_;                        // the first rows of a line that is wrapped, as one
  int room_ = kAllRoom;                      // free columns to the right of the row reported last
  Speaker last_speaker_ = Speaker::kChrome;  // the speaker of the line reported last
  bool blank_pending_ = false;
  bool gap_pending_ = false;
  bool spoken_ = false;  // a line was reported
  std::vector<Line> lines_;
};

}  // namespace orch::driver
