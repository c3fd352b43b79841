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

// The screens of a recording as they followed each other, each row that was ever shown kept once.
// It stays bounded however long the recording is and whatever it shows: where there is too much,
// frames that stood for a moment only are forgotten first.
class Film {
 public:
  Film() = default;
  // Of screens that hold secrets: no frame shows one.
  explicit Film(std::shared_ptr<const mask::Secrets> secrets) : secrets_(std::move(secrets)) {}

  enum class Why : uint8_t {
    kChanged,  // the screen is another one: the frame may be forgotten again
    kNeeded,   // the screen at a change of status or at a dialog: it is forgotten last
  };
  // From `ms` until `until_ms` the screen stands as it is now. Always of one screen, and forwards
  // in time. Looks that show nothing new, or pass in less time than anybody sees, are no frames.
  // `also` are cells that no frame is to show beside those that hold a secret as a whole.
  void look(int64_t ms, int64_t until_ms, const term::Screen& screen, Why why,
            const std::vector<mask::Cells>& also = {});

  // Frames as JSON that the page's script reads: styles, rows, sizes and frames, see page/page.js.
  // It may stand inside of <script>.
  struct Cut {
    std::string json;
    size_t frames = 0;       // 0: not even the last one had room
    int64_t spacing_ms = 0;  // frames that stood for less than this are not among them
  };
  // As many as max_bytes hold. The last frame stays before all others, then those that are needed.
  Cut cut(size_t max_bytes) const;

  size_t frames() const { return frames_.size(); }  // that are kept now
  static constexpr int64_t kSpacingMs = 100;  // between two frames where there is room for all

 private:
  using RowId = uint32_t;  // 0 is the blank row
  struct Frame {
    int64_t ms = 0;
    term::Size size;
    int cursor = -1;  // row * kMaxCols + col; -1: hidden
    Why why = Why::kChanged;
    std::vector<RowId> rows = {};
  };
  // How far frames stand apart at least, unless they last as long.
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

  std::shared_ptr<const mask::Secrets> secrets_;  // nullptr: there are none
  std::vector<Frame> frames_;
  std::vector<std::string> rows_{"[]"};  // as JSON
  std::unordered_map<std::string, RowId> ids_{{"[]", 0}};
  std::unordered_map<uint64_t, RowId> by_stamp_;
  std::map<std::array<uint32_t, 3>, size_t> style_ids_;
  std::vector<std::string> styles_;
  size_t row_bytes_ = 0, cells_ = 0;  // of rows_; rows of all frames_
  Spacing spacing_{kSpacingMs, 0};
};

}  // namespace orch::report
