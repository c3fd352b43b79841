#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "term/painted.h"
#include "term/screen.h"

namespace orch::term {

// Screens, one after the other, as one SVG picture that plays by itself, again and again, without a
// script. It is dark or light like its reader's system. A viewer without animation shows the last
// screen.
class AnimatedSvg {
 public:
  explicit AnimatedSvg(Size size);

  // The screen stands from `ms` until the next call. Calls must go forwards in time. If a screen
  // has another size, the part that fits is shown. `instead` holds rows, by number, to be painted
  // instead of the screen's own.
  void add(int64_t ms, const Screen& screen,
           const std::map<int, std::vector<PaintedRun>>& instead = {});

  // The picture; the last screen stands until `end_ms`.
  std::string finish(int64_t end_ms);

 private:
  // The contents of a row.
  struct Row {
    std::vector<PaintedRun> runs;
    int cursor = -1;  // its column; -1: not in this row
    bool operator==(const Row&) const = default;
  };
  struct Shown {
    Row row;
    int number = 0;
    int64_t from = 0, until = 0;  // in ms
  };

  void end_row(int number, int64_t ms);
  std::string color_class(Rgb color);
  void append_row(const Shown& shown, std::string& out);
  void append_run(const PaintedRun& run, double y, std::string& out);
  void append_words(const PaintedRun& run, std::string_view words, int col, int cols, double y,
                    std::string& out);

  Size size_;
  std::vector<Row> now_;          // the rows of the last screen
  std::vector<int64_t> since_;    // since when each of them stands
  std::vector<Shown> shown_;      // rows that stood and were replaced
  std::map<Rgb, size_t> colors_;  // colours that were used, and their numbers
};

}  // namespace orch::term
