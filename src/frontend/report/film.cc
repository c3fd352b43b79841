#include "report/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "report/hidden_rows.h"
#include "report/html.h"

namespace orch::report {
namespace {

constexpr size_t kMaxRowBytes = 24 << 20, kMaxCells = 8 << 20, kMaxStamps = 1 << 20;
// The size of the table; further styles are written out where they are used.
constexpr size_t kMaxStyles = 1000;
constexpr size_t kFarthestScroll = 60;

// By how many rows the old screen has scrolled up, if most of its rows then match the new screen; 0
// if that saves nothing.
template <typename Rows>
size_t scrolled(const Rows& old_rows, const Rows& rows) {
  const auto wrong_after = [&](size_t by) {
    size_t wrong = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      wrong += rows[i] != (i + by < old_rows.size() ? old_rows[i + by] : 0) ? 1 : 0;
    }
    return wrong;
  };
  size_t best = 0, least = wrong_after(0);
  constexpr size_t kWorthIt = 4;
  if (least < kWorthIt) return 0;
  for (size_t by = 1; by < std::min(rows.size(), kFarthestScroll); ++by) {
    const size_t wrong = wrong_after(by);
    if (wrong < least) std::tie(best, least) = std::pair(by, wrong);
  }
  return best;
}

}  // namespace

void Film::look(int64_t ms, int64_t until_ms, const term::Screen& screen, Why why,
                const std::vector<mask::Cells>& also) {
  if (!frames_.empty() && why == Why::kChanged && until_ms - ms < spacing_.changed &&
      (ms - frames_.back().ms < spacing_.changed || screen.modes().synchronized)) {
    return;
  }
  Frame frame{.ms = ms, .size = screen.size(), .why = why};
  if (screen.modes().cursor_visible) {
    frame.cursor = screen.cursor_row() * term::kMaxCols + screen.cursor_col();
  }
  std::map<int, std::vector<term::PaintedRun>> hidden;
  if (secrets_) hidden = hidden_rows(screen, secrets_, also);
  for (int row = 0; row < frame.size.rows; ++row) {
    const auto other = hidden.find(row);
    frame.rows.push_back(other == hidden.end() ? row_id(screen, row)
                                               : row_id(row_json(other->second)));
  }
  if (!frames_.empty()) {
    Frame& last = frames_.back();
    if (last.rows == frame.rows && last.cursor == frame.cursor && last.size == frame.size) {
      last.why = std::max(last.why, why);
      return;
    }
  }
  cells_ += frame.rows.size();
  frames_.push_back(std::move(frame));
  if (too_much()) forget_some();
}

Film::RowId Film::row_id(const term::Screen& screen, int row) {
  if (by_stamp_.size() > kMaxStamps) by_stamp_.clear();
  const auto [known, is_new] = by_stamp_.try_emplace(screen.stamp(row), 0);
  if (!is_new) return known->second;
  return known->second = row_id(row_json(term::painted_row(screen, row)));
}

Film::RowId Film::row_id(std::string json) {
  const auto [entry, is_new_row] = ids_.try_emplace(json, static_cast<RowId>(rows_.size()));
  if (is_new_row) {
    row_bytes_ += json.size();
    rows_.push_back(std::move(json));
  }
  return entry->second;
}

// Returns [style, columns, text, ...]. Negative columns mean that the text is one character that
// takes all of these columns.
std::string Film::row_json(const std::vector<term::PaintedRun>& runs) {
  std::string json = "[";
  for (const term::PaintedRun& run : runs) {
    if (json.size() > 1) json += ',';
    fmt::format_to(std::back_inserter(json), "{},{},{}", style_json(run),
                   run.one_character ? -run.cols : run.cols, script_string(run.text));
  }
  return json + "]";
}

// The style's number in the table, or otherwise "RRGGBBRRGGBBattributes" itself.
std::string Film::style_json(const term::PaintedRun& run) {
  const std::array<uint32_t, 3> key{run.fg, run.bg, run.attributes};
  if (const auto known = style_ids_.find(key); known != style_ids_.end()) {
    return std::to_string(known->second);
  }
  std::string style = fmt::format("\"{:06x}{:06x}{}\"", run.fg, run.bg, run.attributes);
  if (styles_.size() == kMaxStyles) return style;
  style_ids_.emplace(key, styles_.size());
  styles_.push_back(std::move(style));
  return std::to_string(styles_.size() - 1);
}

// The frames to keep: frames that come long enough after the one before, or last long enough.
std::vector<size_t> Film::kept(const Spacing& spacing) const {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    const bool edge = i == 0 || i + 1 == frames_.size();
    const int64_t least = frame.why == Why::kNeeded ? spacing.needed : spacing.changed;
    if (edge || frame.ms - frames_[chosen.back()].ms >= least ||
        frames_[i + 1].ms - frame.ms >= least) {
      chosen.push_back(i);
    }
  }
  return chosen;
}

bool Film::too_much() const { return row_bytes_ > kMaxRowBytes || cells_ > kMaxCells; }

void Film::forget_some() {
  // At most half of the limit is kept, so that this is not needed again at once.
  while (frames_.size() > 1) {
    if (spacing_.changed < frames_.back().ms) {
      spacing_.changed *= 2;
    } else {
      spacing_.needed = std::max(kSpacingMs, spacing_.needed * 2);
    }
    std::vector<Frame> frames;
    for (const size_t i : kept(spacing_)) frames.push_back(std::move(frames_[i]));
    const bool stuck = frames.size() == frames_.size() && spacing_.needed > frames.back().ms;
    frames_ = std::move(frames);
    std::vector<std::string> rows = std::exchange(rows_, {"[]"});
    std::vector<RowId> moved(rows.size(), 0);
    ids_ = {{"[]", 0}};
    by_stamp_.clear();
    row_bytes_ = cells_ = 0;
    for (Frame& frame : frames_) {
      cells_ += frame.rows.size();
      for (RowId& id : frame.rows) {
        if (id != 0 && moved[id] == 0) {
          moved[id] = static_cast<RowId>(rows_.size());
          row_bytes_ += rows[id].size();
          ids_.emplace(rows[id], moved[id]);
          rows_.push_back(std::move(rows[id]));
        }
        id = moved[id];
      }
    }
    if (stuck || (row_bytes_ < kMaxRowBytes / 2 && cells_ < kMaxCells / 2)) return;
  }
}

// {"styles": [...], "rows": [row, ...], "sizes": [[frame, cols, rows], ...],
//  "frames": [[ms since the frame before, cursor, rows scrolled up, row, id, count, ...], ...]}:
// from row on, `count` rows are those with the numbers id, id + 1, ...
std::optional<std::string> Film::encode(const std::vector<size_t>& chosen, size_t max_bytes) const {
  std::string rows = "[]", frames, sizes;
  std::vector<RowId> number(rows_.size(), 0);
  RowId next_number = 1;
  std::vector<RowId> shown;
  term::Size size{0, 0};
  int64_t ms = 0;
  for (size_t n = 0; n < chosen.size(); ++n) {
    const Frame& frame = frames_[chosen[n]];
    std::vector<RowId> now;
    now.reserve(frame.rows.size());
    for (const RowId id : frame.rows) {
      if (id != 0 && number[id] == 0) {
        number[id] = next_number++;
        rows.append(",\n").append(rows_[id]);
      }
      now.push_back(number[id]);
    }
    if (frame.size != size) {
      size = frame.size;
      fmt::format_to(std::back_inserter(sizes), "{}[{},{},{}]", sizes.empty() ? "" : ",", n,
                     size.cols, size.rows);
    }
    shown.resize(now.size(), 0);
    const size_t by = scrolled(shown, now);
    shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(by));
    shown.resize(now.size(), 0);
    fmt::format_to(std::back_inserter(frames), "{}[{},{},{}", n == 0 ? "" : ",\n", frame.ms - ms,
                   frame.cursor, by);
    for (size_t row = 0, end = 0; row < now.size(); row = end) {
      end = row + 1;
      if (now[row] == shown[row]) continue;
      while (end < now.size() && now[end] == now[end - 1] + 1 && now[end] != shown[end]) ++end;
      fmt::format_to(std::back_inserter(frames), ",{},{},{}", row, now[row], end - row);
    }
    frames += ']';
    ms = frame.ms;
    shown = std::move(now);
    if (rows.size() + frames.size() + sizes.size() > max_bytes) return std::nullopt;
  }
  std::string json = "\"styles\":[";
  for (size_t i = 0; i < styles_.size(); ++i) json.append(i == 0 ? "" : ",").append(styles_[i]);
  json.append("],\n\"rows\":[").append(rows).append("],\n\"sizes\":[").append(sizes);
  json.append("],\n\"frames\":[").append(frames).append("]");
  if (json.size() > max_bytes) return std::nullopt;
  return json;
}

Film::Cut Film::cut(size_t max_bytes) const {
  Spacing spacing = spacing_;
  const int64_t end = frames_.empty() ? 0 : frames_.back().ms;
  while (!frames_.empty()) {
    const std::vector<size_t> chosen = kept(spacing);
    if (std::optional<std::string> json = encode(chosen, max_bytes)) {
      return {*std::move(json), chosen.size(), spacing.changed};
    }
    // The spacing grows by a quarter in each step, so that little room is left unused.
    const auto wider = [](int64_t ms) { return std::max(kSpacingMs, ms + ms / 4); };
    if (spacing.changed <= end) {
      spacing.changed = wider(spacing.changed);
    } else if (spacing.needed <= end) {
      spacing.needed = wider(spacing.needed);
    } else {
      break;
    }
  }
  if (!frames_.empty()) {
    if (std::optional<std::string> json = encode({frames_.size() - 1}, max_bytes)) {
      return {*std::move(json), 1, end};
    }
  }
  return {R"("styles":[],"rows":[[]],"sizes":[],"frames":[])", 0, end};
}

}  // namespace orch::report
