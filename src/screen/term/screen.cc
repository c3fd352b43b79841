#include "term/screen.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "term/engine.h"

namespace orch::term {

Screen::Screen(Size size) : engine_(std::make_unique<Engine>(size)) {}
Screen::~Screen() = default;

void Screen::feed(std::string_view bytes) { engine_->feed(bytes); }
void Screen::resize(Size size) { engine_->terminal.resize(size); }

void Screen::cover(int row, int from, int to) { engine_->terminal.cover(row, from, to); }

std::string Screen::take_replies() { return engine_->terminal.take_replies(); }
void Screen::set_scroll_sink(ScrollSink* sink) { engine_->terminal.set_scroll_sink(this, sink); }

Size Screen::size() const { return engine_->terminal.grid().size(); }
const Modes& Screen::modes() const { return engine_->terminal.modes(); }
int Screen::cursor_row() const { return engine_->terminal.cursor_row(); }
int Screen::cursor_col() const { return engine_->terminal.cursor_col(); }
RowView Screen::row(int row) const { return engine_->terminal.grid().view(row); }
Style Screen::style(StyleId id) const { return engine_->terminal.style(id); }

void Screen::append_row_text(int row, std::string& out) const { append_text(this->row(row), out); }

void Screen::append_text(const RowView& row, std::string& out) const {
  size_t length = row.codes.size();
  while (length > 0 && (row.codes[length - 1] == kBlank || row.codes[length - 1] == ' ')) --length;
  const auto end = row.codes.begin() + static_cast<std::ptrdiff_t>(length);
  for (auto cell = row.codes.begin(); cell != end;) {
    const auto other = std::find_if(cell, end, [](CellCode code) { return code >= 0x80; });
    const auto ascii = static_cast<std::ptrdiff_t>(out.size());
    out.resize(out.size() + static_cast<size_t>(other - cell));
    std::transform(cell, other, out.begin() + ascii,
                   [](CellCode code) { return code == kBlank ? ' ' : static_cast<char>(code); });
    for (cell = other; cell != end && *cell >= 0x80; ++cell) append_cell(*cell, out);
  }
}

// Appends a cell that is not ASCII.
void Screen::append_cell(CellCode code, std::string& out) const {
  if (code < kClusterBase) {
    base::append_utf8(out, code);
  } else if (code != kWideTail) {
    for (const char32_t c : engine_->terminal.cluster(code)) base::append_utf8(out, c);
  }
}

// Two rows of different cells have the same key with a chance of 2^-64, which does not matter. The
// codes of clusters may mean other characters later.
uint64_t Screen::key(int row) const {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;  // odd, with its bits spread: the golden ratio
  constexpr size_t kLanes = 4;                      // so that one product need not wait for another
  const std::span<const CellCode> codes = this->row(row).codes;
  unsigned clusters = 0;
  for (const CellCode code : codes) {
    clusters |= static_cast<unsigned>(code - kClusterBase < kWideTail - kClusterBase);
  }
  if (clusters != 0) return 0;
  std::array<uint64_t, kLanes> lanes{1, 2, 3, 4};
  std::array<uint64_t, kLanes> cells{};  // two codes each
  for (size_t i = 0; i < codes.size(); i += 2 * kLanes) {
    const size_t count = std::min(2 * kLanes, codes.size() - i);
    if (count < 2 * kLanes) cells = {};
    std::memcpy(cells.data(), codes.data() + i, count * sizeof(CellCode));
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = (std::rotl(lanes[lane], 29) ^ cells[lane]) * kFactor;
    }
  }
  uint64_t key = codes.size();
  for (const uint64_t lane : lanes) key = (std::rotl(key, 29) ^ lane ^ (lane >> 32)) * kFactor;
  return key | 1;
}

uint64_t Screen::stamp(int row) const { return engine_->terminal.grid().stamp(row); }

const std::string& Screen::title() const { return engine_->terminal.announcements().title(); }
Progress Screen::progress() const { return engine_->terminal.announcements().progress(); }
const StateReport& Screen::report_of(std::string_view app) const {
  return engine_->terminal.announcements().report_of(app);
}

std::vector<std::string> Screen::take_notifications() {
  return engine_->terminal.take_notifications();
}

uint64_t Screen::synchronized_frames() const { return engine_->terminal.synchronized_frames(); }

}  // namespace orch::term
