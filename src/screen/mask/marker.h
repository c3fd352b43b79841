#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mask/scanner.h"
#include "mask/secrets.h"

namespace orch::mask {

// Bytes [from, to) of a stream, counted from its beginning.
struct Span {
  uint64_t from = 0, to = 0;
  bool operator==(const Span&) const = default;
};

// Finds the secrets in a terminal's output or in any other text, even if colours, line ends,
// margins, frames ("│") or cursor movements stand between their characters, and however the bytes
// are split into pieces. The contents of control strings (OSC, DCS) are searched separately. It
// accepts any bytes, and uses constant memory except for the spans.
class Marker {
 public:
  explicit Marker(std::shared_ptr<const Secrets> secrets);

  void feed(std::string_view bytes);
  // Call it where a row ends without a byte that says so: with kRow, kLine, kParagraph or kWall.
  void end_row(Gap how);

  uint64_t fed() const { return fed_; }
  // Whether everything that began in the text so far has ended. Then the rest may also be searched
  // by itself, as long as it begins a row.
  bool is_at_rest() const {
    return state_ == State::kGround && frame_ == 0 && screen_.scanner.is_at_rest();
  }
  // Every byte before this offset is known to be secret or not.
  uint64_t settled() const;
  // The spans found since the last call, in the order of discovery; they may overlap.
  std::vector<Span> take_spans();

 private:
  static constexpr size_t kLeastOffsets = 64;
  // A sequence of bytes that is searched as one text.
  struct Lane {
    Scanner scanner;
    Gap gap = Gap::kWall;
    uint64_t count = 0;
    size_t open = 0;  // how many of its last bytes may turn out to be secret
    // The offsets in the stream of its last bytes, by the byte's number modulo the size, which is a
    // power of two and more than `open`.
    std::vector<uint64_t> offsets = std::vector<uint64_t>(kLeastOffsets);

    uint64_t& offset(uint64_t number) { return offsets[number & (offsets.size() - 1)]; }
    uint64_t offset(uint64_t number) const { return offsets[number & (offsets.size() - 1)]; }
    void grow();
  };
  enum class State : uint8_t {
    kGround,
    kEscape,
    kIntermediate,  // in an escape sequence such as ESC ( B
    kControl,       // CSI
    kString,        // OSC, DCS, SOS, PM, APC
    kStringEscape,  // ESC in a string: its end, or the start of another sequence
  };
  size_t pass_over_ground(std::string_view bytes);
  size_t pass_over_text(std::string_view bytes, Gap before);
  size_t pass_over_control(std::string_view bytes);
  void step(char byte);
  void ground(char byte);
  void escape(char byte);
  void string(char byte);
  void visible(Lane& lane, char byte, uint64_t offset);
  void mark_found(Lane& lane, size_t secret);
  void mark(const Lane& lane, size_t from, size_t to);
  static void widen(Lane& lane, Gap gap) { lane.gap = std::max(lane.gap, gap); }

  std::shared_ptr<const Secrets> secrets_;
  Lane screen_, string_;
  State state_ = State::kGround;
  size_t frame_ = 0;  // how many bytes of a possible frame character have come: 0 to 2
  char frame_second_ = 0;
  uint64_t fed_ = 0;
  std::vector<Span> spans_;
};

}  // namespace orch::mask
