#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace orch::base {

// Cuts bytes, which come in pieces, into lines. A line of more than `most` bytes is not kept, so
// that memory is bounded whatever the other side writes. Text after the last line feed is not a
// line yet.
class LineCutter {
 public:
  explicit LineCutter(size_t most) : most_(most) {}

  // Calls on_line(std::string_view) with each line, without its line feed, and on_too_long() at the
  // end of each line that is too long. Neither may destroy this or call cut().
  template <typename OnLine, typename OnTooLong>
  void cut(std::string_view bytes, const OnLine& on_line, const OnTooLong& on_too_long) {
    while (!bytes.empty()) {
      const size_t end = bytes.find('\n');
      const bool is_whole = end != std::string_view::npos;
      const std::string_view piece = bytes.substr(0, end);
      bytes.remove_prefix(is_whole ? end + 1 : bytes.size());
      is_too_long_ = is_too_long_ || piece.size() > most_ - begun_.size();
      if (is_too_long_) begun_ = {};
      if (!is_whole) {
        if (!is_too_long_) begun_ += piece;
      } else if (std::exchange(is_too_long_, false)) {
        on_too_long();
      } else if (begun_.empty()) {
        on_line(piece);
      } else {
        begun_ += piece;
        const std::string line = std::exchange(begun_, {});
        on_line(std::string_view(line));
      }
    }
  }

 private:
  size_t most_;
  std::string begun_;  // a line whose end has not come yet
  bool is_too_long_ = false;
};

}  // namespace orch::base
