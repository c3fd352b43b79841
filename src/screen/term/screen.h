#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "term/cell.h"

namespace orch::term {

struct Size {
  int cols = 80;
  int rows = 24;
  bool operator==(const Size&) const = default;
};
inline constexpr int kMaxCols = 1000, kMaxRows = 1000;  // other sizes are clamped to 1..max

// The modes that an application has set, as far as they matter for its input.
struct Modes {
  bool cursor_visible = true;         // DECTCEM 25
  bool alternate = false;             // 47, 1047, 1049
  bool autowrap = true;               // 7
  bool origin = false;                // 6
  bool insert = false;                // IRM 4
  bool application_cursor = false;    // DECCKM 1
  bool application_keypad = false;    // DECKPAM, DECNKM 66
  bool bracketed_paste = false;       // 2004
  bool focus_reports = false;         // 1004
  bool color_scheme_reports = false;  // 2031
  bool grapheme_clusters = true;      // 2027: an emoji sequence is one character of two columns
  bool synchronized = false;          // 2026: a frame is being drawn
  uint16_t mouse = 0;                 // bit set: 1000 -> 1, 1002 -> 2, 1003 -> 4, 1006 -> 8
  uint8_t kitty_keyboard = 0;         // flags on top of the current stack
  uint8_t modify_other_keys = 0;      // XTMODKEYS 4: 0 to 2
};

// Resets mode 2027, for an application that counts each code point of an emoji sequence.
inline constexpr std::string_view kCountCodePoints = "\033[?2027l";

// Progress as OSC 9;4 reports it.
struct Progress {
  enum class State : uint8_t { kNone, kNormal, kError, kIndeterminate, kPaused };
  State state = State::kNone;
  int percent = 0;
  bool operator==(const Progress&) const = default;
};

// A view of a row: as many codes and styles as there are columns. Valid until the screen is next
// changed.
struct RowView {
  std::span<const CellCode> codes;
  std::span<const StyleId> styles;
  bool wrapped = false;  // the text continues in the next row (autowrap, without a line feed)
};

// The last statement of an application about its own state (OSC 7501, revision 0.2). Reports about
// a part of it (with an id: a sub-agent, a shell) are not kept.
struct StateReport {
  std::string app;  // at most 32 bytes of [A-Za-z0-9_.+-]; "" if the report named none
  // "idle", "working", "done", "error", "clear" (it withdraws its last report), or with its kind
  // "blocked:permission"
  std::string text;
  uint64_t number = 0;  // of all reports to this terminal, from 1; 0: none came
};

class Screen;
struct Engine;

// Receives the rows that leave the screen for good, and the ends of frames. Called from within
// feed() and resize(); must not change the screen.
class ScrollSink {
 public:
  virtual ~ScrollSink() = default;
  // A synchronized frame (mode 2026) is complete: the next bytes may begin another.
  virtual void on_frame_ended(const Screen&) {}
  // The top row of the main grid scrolled off (it would enter the scrollback).
  virtual void on_scrolled_off(const Screen& screen, const RowView& row) = 0;
  // The application erased the scrollback (CSI 3 J) or reset the terminal (RIS).
  virtual void on_scrollback_cleared() = 0;
};

// A terminal's screen as data: output bytes go in; cells, modes, titles and replies come out. It
// owns no descriptor, clock or thread. It accepts every byte sequence, and every buffer inside is
// bounded. It can be neither copied nor moved, because it holds the parser that calls back into it.
class Screen {
 public:
  explicit Screen(Size size);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Reads the application's output. Any split of the same bytes gives the same screen.
  void feed(std::string_view bytes);

  // The window has changed its size. Rows are added or cut at the bottom; if that would cut off the
  // cursor's row, rows of the main grid leave at the top instead, and the sink receives them (as in
  // xterm). Text is not reflowed.
  void resize(Size size);

  // Writes '*' over columns [from, to) of the row, in the cells' styles, to hide a secret. Cells
  // that are not on the screen are ignored.
  void cover(int row, int from, int to);

  // Returns and clears the answers to the application's queries, which are to be written to it at
  // once. They consist of constants and our own numbers, never of bytes that the application sent.
  std::string take_replies();

  void set_scroll_sink(ScrollSink* sink);  // not owned; nullptr for none

  Size size() const;
  const Modes& modes() const;
  int cursor_row() const;
  int cursor_col() const;
  RowView row(int row) const;  // of the grid that is shown; 0 is the top
  Style style(StyleId id) const;

  // Appends the row's text as UTF-8 without trailing blanks. A blank cell within the text is a
  // space, a wide character appears once, and U+00A0 stays U+00A0.
  void append_row_text(int row, std::string& out) const;
  void append_text(const RowView& row, std::string& out) const;

  // A number that changes whenever the row's cells may have changed, and that moves with the row
  // when it scrolls: equal stamps mean equal text. Never 0.
  uint64_t stamp(int row) const;
  // A number that identifies the row's cells without their styles: rows of this screen with equal
  // keys are equal, at any time. Unlike the stamp it stays when a row is drawn again with the same
  // cells. 0: the row has characters that only its text identifies.
  uint64_t key(int row) const;

  const std::string& title() const;  // OSC 0/2, at most 1024 bytes, valid UTF-8 without controls
  Progress progress() const;
  // The last report of the application that calls itself `app`; of any, for "". Reports of others
  // do not change it. Only the last eight applications that reported are remembered.
  const StateReport& report_of(std::string_view app) const;
  // Returns and clears the texts of the OSC 9 notifications (not 9;4). Only the last 64 are kept;
  // each is printable and at most 1024 bytes long.
  std::vector<std::string> take_notifications();

  // How many frames have ended with CSI ? 2026 l; it only grows.
  uint64_t synchronized_frames() const;

 private:
  friend std::string snapshot(const Screen& screen);  // term/snapshot.h
  void append_cell(CellCode code, std::string& out) const;

  std::unique_ptr<Engine> engine_;
};

}  // namespace orch::term
