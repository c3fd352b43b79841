#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mask/screen.h"
#include "mask/secrets.h"
#include "term/painted.h"
#include "term/screen.h"

namespace orch::report {

// The screens of a recording, one after the other, with each distinct row kept once. Its size stays
// bounded whatever the recording's length and contents are: if there is too much, the
// shortest-lived frames are dropped first.
class Film {
 public:
  Film() = default;
  // For screens that hold secrets: no frame shows one.
  explicit Film(std::shared_ptr<const mask::Secrets> secrets) : secrets_(std::move(secrets)) {}

  enum class Why : uint8_t {
    kChanged,  // the screen has changed: the frame may be dropped again
    kNeeded,   // the screen at a change of status or at a dialog: the frame is dropped last
  };
  // Adds the screen as it stands now, from `ms` until `until_ms`. All calls must be for the same
  // screen, and forwards in time. A screen that shows nothing new, or that passes faster than
  // anybody sees, makes no frame. `also` are further cells to cover, besides those of whole
  // secrets.
  void look(int64_t ms, int64_t until_ms, const term::Screen& screen, Why why,
            const std::vector<mask::Cells>& also = {});

  // Frames as JSON for the page's script: styles, rows, sizes and frames, see page/page.js. It is
  // safe inside of <script>.
  struct Cut {
    std::string json;
    size_t frames = 0;       // 0: there was no room even for the last one
    int64_t spacing_ms = 0;  // frames that stood for less than this are left out
  };
  // Selects as many frames as fit into max_bytes. The last frame has precedence, then the kNeeded
  // ones.
  Cut cut(size_t max_bytes) const;

  size_t frames() const { return frames_.size(); }  // that are kept now
  // the least time between two frames if there is room for all
  static constexpr int64_t kSpacingMs = 100;

 private:
  using RowId = uint32_t;  // 0 is the blank row
  struct Frame {
    int64_t ms = 0;
    term::Size size;
    int cursor = -1;  // row * kMaxCols + col; -1: hidden
    Why why = Why::kChanged;
    std::vector<RowId> rows = {};
  };
  // How far apart frames must be, for each `Why`, unless they last as long.
  struct Spacing {
    int64_t changed = 0, needed = 0;
  };

  RowId row_id(const term::Screen& screen, int row);
  RowId row_id(std::string json);
  std::string row_json(const std::vector<term::PaintedRun>& runs);
  std::string style_json(const term::PaintedRun& run);
  std::vector<size_t> kept(const Spacing& spacing) const;
  std::optional<std::string> encode(const std::vector<size_t>& chosen, size_t max_bytes) const;
  bool too_much() const;
  void forget_some();

  std::shared_ptr<const mask::Secrets> secrets_;  // nullptr: no secrets
  std::vector<Frame> frames_;
  std::vector<std::string> rows_{"[]"};  // as JSON
  std::unordered_map<std::string, RowId> ids_{{"[]", 0}};
  std::unordered_map<uint64_t, RowId> by_stamp_;
  std::map<std::array<uint32_t, 3>, size_t> style_ids_;
  std::vector<std::string> styles_;
  size_t row_bytes_ = 0, cells_ = 0;  // bytes in rows_, and number of rows in all frames_
  Spacing spacing_{kSpacingMs, 0};
};

}  // namespace orch::report
