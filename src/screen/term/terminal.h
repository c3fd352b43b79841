#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "term/cell.h"
#include "term/cluster_table.h"
#include "term/grid.h"
#include "term/keyboard.h"
#include "term/osc.h"
#include "term/screen.h"
#include "term/sequence.h"
#include "term/sgr_cache.h"
#include "term/style_table.h"
#include "term/width.h"

namespace orch::term {

// Carries out the text and control functions that a Parser passes to it: two grids, a cursor,
// modes, and the answers to queries. Modelled on DEC's VT220 and on xterm, whose page on control
// sequences (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html) has the names used here.
class Terminal {
 public:
  static constexpr int kTabWidth = 8;
  // The limit of replies that wait to be taken, in bytes; further replies are dropped.
  static constexpr size_t kMaxReplyBytes = 4096;

  explicit Terminal(Size size);

  // Call it before the parser makes the calls below.
  void remember_in(SgrCache& cache) { sgr_cache_ = &cache; }
  // Called by the parser.
  template <class Kernels>
  void ascii(Kernels, const char* at, size_t length);
  template <class Kernels>
  const char* unicode(Kernels, const char* at, const char* end);
  void control(uint8_t c0);
  void escape(char intermediate, char final);
  template <class Kernels>
  bool plain(Kernels, const char* fields, size_t length);
  void plain_sequence(const ControlSequence& s);
  void marked_sequence(const ControlSequence& s);
  void osc(std::string_view payload, StringEnd end);
  void dcs(std::string_view payload);

  void resize(Size size);
  void cover(int row, int from, int to);
  std::string take_replies();
  void set_scroll_sink(const Screen* screen, ScrollSink* sink);

  const Grid& grid() const { return *grid_; }
  const Modes& modes() const { return modes_; }
  int cursor_row() const { return cursor_.row; }
  int cursor_col() const { return cursor_.col; }
  Style style(StyleId id) const { return styles_[id].style(); }
  const Cluster& cluster(CellCode code) const { return clusters_[code - kClusterBase]; }
  const Announcements& announcements() const { return announcements_; }
  std::vector<std::string> take_notifications() { return announcements_.take_notifications(); }
  uint64_t synchronized_frames() const { return synchronized_frames_; }

 private:
  friend class SnapshotWriter;

  enum class Charset : uint8_t { kAscii, kDecGraphics };
  struct Cursor : Place {
    // The last column was written, so the next character goes to a new line (autowrap).
    bool wrap_pending = false;
    Pen pen;
    std::array<Charset, 2> charsets{};
    uint8_t shift = 0;  // index of the character set in use
  };
  struct SavedCursor {
    Cursor cursor;
    bool origin = false;
  };

  // terminal_fast.h
  template <class Kernels>
  void put_ascii(const char* bytes, int count);
  template <class Kernels>
  void put_repeated(CellCode code, int count);
  template <class Kernels>
  void put_across(const char* at, size_t length);
  template <class Kernels>
  const char* put_unicode(const char* at, const char* end);
  const char* put_wide(const char* at);
  bool may_join_left() const;
  static base::Decoded decode(const char* at, const char* end);
  bool frame_mode(const char* fields, size_t length);
  void wrap_if_pending();
  void advance(int width);
  void move_to(int row, int col);
  void goto_row(int row);
  void move_rows(int count);
  void line_feed();
  template <class Kernels>
  bool one_parameter(const char* fields, size_t length);
  template <class Kernels>
  void erase_in_line(int how);
  void choose_pen();
  void common_sequence(const ControlSequence& s);

  // terminal_text.cc
  void put_characters(const char* at, const char* end);
  void put(char32_t code_point);
  void put_cell(CellCode code, int width);
  std::u32string_view contents(const CellCode& cell) const;
  bool takes(const CellCode& left, char32_t code_point) const;
  int left_of_cursor() const;
  bool joins_left(char32_t code_point) const;
  void combine(char32_t mark);
  void put_widened(CellCode code, int col);
  CellCode joined_of(CellCode left, char32_t mark);
  char32_t repeatable() const { return pen_changed_ ? 0 : last_character_; }
  void repeat_last(int count);
  void wrap();
  StyleId look_up(const Pen& pen);
  uint32_t intern(const Pen& pen);
  void reclaim_styles();
  uint32_t intern(const Cluster& cluster);
  void reclaim_clusters();

  // terminal_sequences.cc
  void cursor_sequence(const ControlSequence& s);
  void edit_sequence(const ControlSequence& s);
  void report_sequence(const ControlSequence& s);
  void dec_private(const ControlSequence& s);
  void special_sequence(const ControlSequence& s);
  std::string cursor_report(std::string_view prefix) const;
  void move_cols(int count);
  void reverse_line_feed();
  void scroll_region_up(int count);
  void reset_tabs();
  void tab_forward(int count);
  void tab_back(int count);
  void set_region(const ControlSequence& s);
  void insert_lines(int count);
  void delete_lines(int count);
  void erase_in_display(int how);

  // terminal_reports.cc
  void report_colors(int number, std::string_view text, std::string_view terminator);
  void report_setting(std::string_view name);
  void report_capabilities(std::string_view names);
  void report_size(int what);

  // terminal_modes.cc
  bool* dec_flag(int mode);
  bool* ansi_flag(int mode);
  void set_dec_mode(int mode, bool on);
  void end_frame();  // of synchronized output (2026)
  void set_ansi_mode(int mode, bool on);
  void set_screen_mode(int mode, bool on);
  void show_alternate(bool on);
  int dec_mode_state(int mode);
  int ansi_mode_state(int mode);
  void save_cursor();
  void restore_cursor();
  void change_keyboard(const ControlSequence& s);
  void change_other_keys(const ControlSequence& s);
  KeyboardFlags& keyboard_flags() { return keyboards_[modes_.alternate]; }
  void soft_reset();
  void reset();

  // terminal.cc
  void other_control(uint8_t c0);
  void reply(std::string_view text);
  void resize_main(Size size, int& cursor_row);
  // The style after erasing: the pen's background (bce).
  StyleId blank() { return cursor_.pen.bg == 0 ? StyleId{0} : id_of(cursor_.pen.background()); }
  // The id of this pen's style, valid until styles are reclaimed.
  StyleId id_of(const Pen& pen) {
    const StyleId* id = pen_cache_.find(pen);
    return id != nullptr ? *id : look_up(pen);
  }
  void update_detour() {
    detour_ = modes_.insert || cursor_.charsets[cursor_.shift] != Charset::kAscii;
    straight_ = detour_ ? 0 : size_.cols;
  }

  Size size_;
  uint64_t clock_ = 0;  // counts the stamps of both grids
  Grid main_;
  std::unique_ptr<Grid> alternate_;  // made when it is first shown
  Grid* grid_ = &main_;
  Cursor cursor_;
  SavedCursor saved_[2];  // main, alternate
  KeyboardFlags keyboards_[2];
  Region region_;
  std::bitset<kMaxCols> tabs_;
  Modes modes_;
  bool newline_ = false;      // LNM 20
  bool pen_changed_ = false;  // pen_id_ does not belong to the pen any more
  // insert mode or a character set is on: text is written one character at a time
  bool detour_ = false;
  Place last_;        // the position of the lower right corner
  int straight_ = 0;  // text that ends before this column needs no wrapping; 0 during a detour
  StyleId pen_id_ = 0;
  // The character that REP repeats, which is the one written directly before it (ECMA-48, as in
  // xterm and tmux). It is 0, or pen_changed_ is set, if a control function came between. Otherwise
  // the character stands to the left of the cursor, or under it when a wrap is pending.
  char32_t last_character_ = 0;
  SgrCache* sgr_cache_ = nullptr;  // of the thread that feeds
  PenCache pen_cache_;
  StyleTable styles_;
  ClusterTable clusters_;
  struct Joined {  // the result of adding a mark to a cell's contents
    CellCode left = kBlank;
    char32_t mark = 0;
    CellCode joined = kBlank;
  };
  std::array<Joined, 8> joined_{};
  const WidthTable& widths_;
  Announcements announcements_;
  std::string replies_;
  uint64_t synchronized_frames_ = 0;
  const Screen* screen_ = nullptr;
  ScrollSink* sink_ = nullptr;
};

}  // namespace orch::term
