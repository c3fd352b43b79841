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
inline constexpr int kMaxCols = 1000, kMaxRows = 1000;  // sizes outside 1..max are clamped

// The modes an application has set and that a writer of input has to know.
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
  bool synchronized = false;          // 2026: a frame is being drawn
  uint16_t mouse = 0;                 // bit set: 1000 -> 1, 1002 -> 2, 1003 -> 4, 1006 -> 8
  uint8_t kitty_keyboard = 0;         // flags on top of the current stack
  uint8_t modify_other_keys = 0;      // XTMODKEYS 4: 0 to 2
};

// OSC 9;4.
struct Progress {
  enum class State : uint8_t { kNone, kNormal, kError, kIndeterminate, kPaused };
  State state = State::kNone;
  int percent = 0;
  bool operator==(const Progress&) const = default;
};

// A row as it is: cols code entries and as many styles. Valid until the screen is next changed.
struct RowView {
  std::span<const CellCode> codes;
  std::span<const StyleId> styles;
  bool wrapped = false;  // the text goes on in the next row (autowrap, no line feed between)
};

class Screen;
struct Engine;

// Told what leaves the screen for good, and when a frame is complete. Called from within feed();
// must not change the screen.
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

// A terminal's screen as data: bytes in, cells, modes, titles and replies out. It owns no
// descriptor, clock or thread. Total: every byte sequence is accepted, every buffer inside is
// bounded. Neither copied nor moved (it holds the parser that calls back into it).
class Screen {
 public:
  explicit Screen(Size size);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Reads the application's output. Any split of the same bytes gives the same screen.
  void feed(std::string_view bytes);

  // The window changed its size. The main grid keeps its bottom rows (as xterm does: rows are cut
  // or added at the bottom unless the cursor would be lost, then at the top, telling the sink); no
  // reflow.
  void resize(Size size);

  // Writes '*' over columns [from, to) of the row, in the style they have: what stands there is not
  // to be shown. Cells that are not on the screen are passed over.
  void cover(int row, int from, int to);

  // Answers to the application's queries, to be written to it at once; empties them. They are made
  // of constants and numbers of our own, never of bytes the application sent.
  std::string take_replies();

  void set_scroll_sink(ScrollSink* sink);  // not owned; nullptr for none

  Size size() const;
  const Modes& modes() const;
  int cursor_row() const;
  int cursor_col() const;
  RowView row(int row) const;  // of the grid that is shown; 0 is the top
  Style style(StyleId id) const;

  // The row's text as UTF-8 without trailing blanks; a blank cell between is a space, a wide
  // character appears once, U+00A0 stays U+00A0.
  void append_row_text(int row, std::string& out) const;
  void append_text(const RowView& row, std::string& out) const;

  // Changes whenever the row's cells may have changed, and goes with the row when it scrolls: equal
  // stamps mean equal text. Never 0.
  uint64_t stamp(int row) const;

  const std::string& title() const;  // OSC 0/2, at most 1024 bytes, valid UTF-8 without controls
  Progress progress() const;
  // The last state an agent reported of itself in OSC 7501 (state=S:app=A:kind=K): "working",
  // "idle", "done", "error", "clear", or with its kind "blocked:permission"; at most 128 bytes,
  // printable; "" before any.
  const std::string& reported_state() const;
  // The texts of the OSC 9 notifications (not 9;4) since the last call, of more than 64 the last
  // ones; printable, each of at most 1024 bytes.
  std::vector<std::string> take_notifications();

  // Frames that ended with CSI ? 2026 l; it only grows.
  uint64_t synchronized_frames() const;

 private:
  friend std::string snapshot(const Screen& screen);  // term/snapshot.h
  void append_cell(CellCode code, std::string& out) const;

  std::unique_ptr<Engine> engine_;
};

}  // namespace orch::term
