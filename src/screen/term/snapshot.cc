#include "term/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "term/engine.h"
#include "term/sgr.h"

namespace orch::term {

// Writes a Terminal's state as bytes that bring another terminal into the same state. It keeps
// track of the pen, character sets and origin mode of that other terminal, and writes only changes.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(const Terminal& terminal) : t_(terminal), grid_(&terminal.main_) {}

  std::string write() {
    announcements();
    tabs();
    t_.modes_.alternate ? below_alternate() : behind_main();
    screen(t_.modes_.alternate);
    margins();
    modes();
    cursor();
    last_character();
    return std::move(out_);
  }

 private:
  using Cursor = Terminal::Cursor;
  using Charset = Terminal::Charset;

  template <class... Values>
  void put(fmt::format_string<const Values&...> format, const Values&... values) {
    fmt::format_to(std::back_inserter(out_), format, values...);
  }
  void mode(bool differs, std::string_view sequence) {
    if (differs) out_ += sequence;
  }

  void set_pen(const Style& style) {
    if (pen_ == style) return;
    pen_ = style;
    append_sgr(style, out_);
  }
  void set_charsets(const Cursor& like) {
    for (const size_t i : {0U, 1U}) {
      if (charsets_[i] == like.charsets[i]) continue;
      out_ += i == 0 ? "\033(" : "\033)";
      out_ += like.charsets[i] == Charset::kDecGraphics ? '0' : 'B';
    }
    if (shift_ != like.shift) out_ += like.shift == 1 ? '\016' : '\017';
    charsets_ = like.charsets;
    shift_ = like.shift;
  }
  void set_clusters(bool on) {
    if (clusters_ != on) out_ += on ? "\033[?2027h" : "\033[?2027l";
    clusters_ = on;
  }
  void set_origin(bool on) {
    if (origin_ != on) out_ += on ? "\033[?6h" : "\033[?6l";
    origin_ = on;
  }
  void move(int row, int col) {
    put("\033[{};{}H", row - (origin_ ? region_.top : 0) + 1, col + 1);
  }
  // Brings the terminal into the state of a fresh one, except for the cursor's position.
  void neutral() {
    set_origin(false);
    set_pen({});
    set_charsets({});
  }

  void announcements() {
    const Announcements& told = t_.announcements_;
    if (!told.title().empty()) put("\033]2;{}\a", told.title());
    const Progress progress = told.progress();
    if (progress != Progress{}) {
      put("\033]9;4;{};{}\a", static_cast<int>(progress.state), progress.percent);
    }
    reports(told.reports());
  }
  // Withdrawn reports come before all others, because they went at the same time.
  void reports(const std::vector<StateReport>& all) {
    const auto back = [](const StateReport& report) { return report.text == "clear"; };
    const auto later = std::find_if_not(all.begin(), all.end(), back);
    for (auto at = all.begin(); at != all.end(); ++at) {
      if (at == later && at != all.begin()) out_ += "\033]7501;state=clear\a";
      report(*at, back(*at) ? "idle" : at->text);
    }
    if (later == all.end() && !all.empty()) out_ += "\033]7501;state=clear\a";
  }
  void report(const StateReport& report, std::string_view text) {
    const size_t colon = text.find(':');
    put("\033]7501;state={}", text.substr(0, colon));
    if (!report.app.empty()) put(":app={}", report.app);
    if (colon != std::string_view::npos) put(":kind={}", text.substr(colon + 1));
    out_ += '\a';
  }

  void tabs() {
    bool usual = true;
    for (int col = 0; col < t_.size_.cols; ++col) {
      usual = usual && has_tab(col) == (col > 0 && col % Terminal::kTabWidth == 0);
    }
    if (usual) return;
    out_ += "\033[3g";
    for (int col = 0; col < t_.size_.cols; ++col) {
      if (has_tab(col)) put("\033[{}G\033H", col + 1);
    }
  }
  bool has_tab(int col) const { return t_.tabs_.test(static_cast<size_t>(col)); }

  // Draws the main screen and then switches to the alternate one with 1049, as nearly all
  // applications do. 1049 saves the cursor, so before it the cursor is made the one that has to be
  // saved.
  void below_alternate() {
    screen(false);
    restore(false);
    out_ += "\033[?1049h";
    grid_ = t_.alternate_.get();
    neutral();
    out_ += "\033[2J";
  }

  // Draws the last contents of the alternate screen, because 47 and 1047 would show them again.
  void behind_main() {
    if (t_.alternate_ == nullptr) return;
    const size_t before = out_.size();
    out_ += "\033[?47h";
    grid_ = t_.alternate_.get();
    const size_t begin = out_.size();
    screen(true);
    grid_ = &t_.main_;
    if (out_.size() == begin) {
      out_.resize(before);
    } else {
      out_ += "\033[?47l\033[H\033[2J";
    }
  }

  // Draws a screen that is shown and blank: its keyboard flags, saved cursor and cells.
  void screen(bool alternate) {
    keyboard(t_.keyboards_[alternate]);
    save(t_.saved_[alternate]);
    for (int row = 0; row < t_.size_.rows; ++row) draw(row);
    set_pen({});
  }

  void keyboard(const KeyboardFlags& flags) {
    const std::span<const uint8_t> below = flags.below();
    const int first = below.empty() ? flags.current() : below.front();
    if (first != 0) put("\033[={};1u", first);
    for (size_t i = 1; i < below.size(); ++i) put("\033[>{}u", below[i]);
    if (!below.empty()) put("\033[>{}u", flags.current());
  }

  // Saves the cursor. A pending wrap needs a character in the last column, which is erased again.
  void save(const Terminal::SavedCursor& saved) {
    const Cursor& cursor = saved.cursor;
    if (is_default(saved)) return;
    set_origin(saved.origin);
    move(cursor.row, cursor.col);
    if (cursor.wrap_pending) out_ += 'x';
    set_pen(cursor.pen.style());
    set_charsets(cursor);
    out_ += "\0337";
    neutral();
    if (!cursor.wrap_pending) return;
    move(cursor.row, 0);
    out_ += "\033[2K";
  }
  static bool is_default(const Terminal::SavedCursor& saved) {
    const Cursor& cursor = saved.cursor;
    return cursor.row == 0 && cursor.col == 0 && !cursor.wrap_pending && cursor.pen == Pen{} &&
           cursor.charsets == Cursor{}.charsets && cursor.shift == 0 && !saved.origin;
  }
  void restore(bool alternate) {
    const Terminal::SavedCursor& saved = t_.saved_[alternate];
    out_ += "\0338";
    pen_ = saved.cursor.pen.style();
    charsets_ = saved.cursor.charsets;
    shift_ = saved.cursor.shift;
    origin_ = saved.origin;
  }

  void draw(int row) {
    const RowView view = grid_->view(row);
    const size_t cols = view.codes.size();
    bool there = false;  // the cursor is at `col`
    for (size_t col = 0; col < cols;) {
      const size_t end = run_end(view, col);
      const Style style = t_.style(view.styles[col]);
      const bool blank = is_blank(view.codes[col]);
      if (!blank || style != Style{}) {
        if (!there) move(row, static_cast<int>(col));
        set_pen(style);
        blank ? put("\033[{}X", end - col) : characters(view, col, end);
      }
      there = !blank;
      col = end;
    }
    if (!view.wrapped || cols < 2 || row + 1 == t_.size_.rows) return;
    // A wide character does not fit into the last column, so it wraps and leaves no trace in this
    // row.
    set_pen({});
    move(row, static_cast<int>(cols) - 1);
    out_ += "\u3000";
    move(row + 1, 0);
    out_ += "\033[2X";
  }
  // The end of the cells that are drawn alike.
  static size_t run_end(const RowView& view, size_t col) {
    size_t end = col + 1;
    while (end < view.codes.size() && view.styles[end] == view.styles[col] &&
           is_blank(view.codes[end]) == is_blank(view.codes[col])) {
      ++end;
    }
    return end;
  }

  void characters(const RowView& view, size_t from, size_t to) {
    for (size_t col = from; col < to; ++col) {
      if (view.codes[col] == kWideTail) continue;
      if (view.codes[col] < 0x80) {
        out_ += static_cast<char>(view.codes[col]);
      } else {
        character(view, col);
      }
    }
  }
  // Mode 2027 is off while it would put the character into the cell to its left, or would give it
  // other columns than it has.
  void character(const RowView& view, size_t col) {
    const std::u32string_view contents = t_.contents(view.codes[col]);
    if (joins(view, col)) set_clusters(false);
    base::append_utf8(out_, contents.front());
    if (contents.size() == 1) return;
    const int columns = is_wide(view, col) ? 2 : 1;
    if (columns_of_cell(contents) != columns) {
      set_clusters(false);
    } else if (is_sequence(contents)) {
      set_clusters(true);
    }
    for (const char32_t mark : contents.substr(1)) base::append_utf8(out_, mark);
  }
  // Whether the cell has these contents and columns only in mode 2027.
  bool is_sequence(std::u32string_view contents) const {
    const auto width = [this](char32_t c) { return t_.widths_.width(c); };
    return columns_of_cell(contents) != width(contents.front()) ||
           std::ranges::any_of(contents.substr(1), [&](char32_t c) { return width(c) > 0; });
  }
  bool joins(const RowView& view, size_t col) const {
    if (col == 0) return false;
    const size_t left = col - (view.codes[col - 1] == kWideTail ? 2 : 1);
    return t_.takes(view.codes[left], t_.contents(view.codes[col]).front());
  }
  static bool is_wide(const RowView& view, size_t col) {
    return col + 1 < view.codes.size() && view.codes[col + 1] == kWideTail;
  }

  static bool is_blank(CellCode code) { return code == kBlank; }

  void margins() {
    if (t_.region_.top == 0 && t_.region_.bottom == t_.size_.rows) return;
    region_ = t_.region_;
    put("\033[{};{}r", region_.top + 1, region_.bottom);
  }

  // A pending wrap comes from writing into the last column. If that cell is blank now, the wrap
  // comes from restoring the saved cursor or, if that differs, from writing a space.
  void cursor() {
    const Cursor& cursor = t_.cursor_;
    restore(t_.modes_.alternate);
    if (!cursor.wrap_pending || !restored_pending()) {
      neutral();
      set_origin(t_.modes_.origin);
      move(cursor.row, cursor.col);
      if (cursor.wrap_pending) again(cursor.row, static_cast<size_t>(cursor.col));
    }
    set_pen(cursor.pen.style());
    set_charsets(cursor);
    set_clusters(t_.modes_.grapheme_clusters);
  }
  bool restored_pending() const {
    const Terminal::SavedCursor& saved = t_.saved_[t_.modes_.alternate];
    const Cursor& cursor = t_.cursor_;
    const bool blank = is_blank(grid_->view(cursor.row).codes[static_cast<size_t>(cursor.col)]);
    return blank && saved.cursor.wrap_pending && saved.cursor.row == cursor.row &&
           saved.cursor.col == cursor.col && saved.origin == t_.modes_.origin;
  }

  // Writes a cell's character once more; in insert mode it is deleted first, to make room for
  // itself.
  void again(int row, size_t col) {
    const RowView view = grid_->view(row);
    if (view.codes[col] == kWideTail) --col;
    move(row, static_cast<int>(col));
    set_pen(t_.style(view.styles[col]));
    if (t_.modes_.insert) put("\033[{}P", is_wide(view, col) ? 2 : 1);
    is_blank(view.codes[col]) ? void(out_ += ' ') : characters(view, col, col + 1);
  }

  // Makes REP repeat the right character, the one written directly before it: it stands to the left
  // of the cursor, or under it when a wrap is pending. If REP has no character to repeat, this
  // writes a sequence without an effect.
  void last_character() {
    const Cursor& cursor = t_.cursor_;
    if (t_.repeatable() == 0) {
      if (cursor.wrap_pending) out_ += "\033\\";
      return;
    }
    const RowView view = grid_->view(cursor.row);
    size_t col = static_cast<size_t>(cursor.col) - (cursor.wrap_pending ? 0 : 1);
    if (view.codes[col] == kWideTail) --col;
    again(cursor.row, col);
    set_clusters(t_.modes_.grapheme_clusters);
  }

  void modes() {
    const Modes& m = t_.modes_;
    mode(!m.autowrap, "\033[?7l");
    mode(m.insert, "\033[4h");
    mode(t_.newline_, "\033[20h");
    mode(m.application_cursor, "\033[?1h");
    mode(m.application_keypad, "\033=");
    mode(m.bracketed_paste, "\033[?2004h");
    mode(m.focus_reports, "\033[?1004h");
    mode(m.color_scheme_reports, "\033[?2031h");
    mode((m.mouse & 1) != 0, "\033[?1000h");
    mode((m.mouse & 2) != 0, "\033[?1002h");
    mode((m.mouse & 4) != 0, "\033[?1003h");
    mode((m.mouse & 8) != 0, "\033[?1006h");
    if (m.modify_other_keys != 0) put("\033[>4;{}m", m.modify_other_keys);
    mode(!m.cursor_visible, "\033[?25l");
    mode(m.synchronized, "\033[?2026h");
  }

  const Terminal& t_;
  const Grid* grid_;
  std::string out_;
  // The state of the other terminal at this point of the output.
  Style pen_;
  std::array<Charset, 2> charsets_{};
  uint8_t shift_ = 0;
  bool origin_ = false;
  bool clusters_ = true;  // mode 2027
  Region region_;
};

std::string snapshot(const Screen& screen) {
  const Engine& engine = *screen.engine_;
  return SnapshotWriter(engine.terminal).write() + engine.parser.unfinished();
}

}  // namespace orch::term
