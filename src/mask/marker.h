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

// Finds the secrets in what a terminal is sent, or in any text: also where colours, ends of rows,
// margins, frames ("│") or moves of the cursor stand between their characters, and however the
// bytes come in pieces. What control strings (OSC, DCS) hold is looked at by itself. Total: no byte
// is an error. Constant memory but for the spans.
class Marker {
 public:
  explicit Marker(std::shared_ptr<const Secrets> secrets);

  void feed(std::string_view bytes);
  void end_row(Gap how);  // kRow, kParagraph or kWall, where no byte says so

  uint64_t fed() const { return fed_; }
  // Of the bytes before it, it is known whether they are secret.
  uint64_t settled() const;
  // What was found since the last call, in the order in which it was found; spans may overlap.
  std::vector<Span> take_spans();

 private:
  static constexpr size_t kLeastOffsets = 512;
  // Bytes that are looked at as one text.
  struct Lane {
    Scanner scanner;
    Gap gap = Gap::kWall;
    uint64_t count = 0;
    size_t open = 0;  // of the last bytes
    // Of the last bytes, by number: a power of two, more than are open.
    std::vector<uint64_t> offsets = std::vector<uint64_t>(kLeastOffsets);

    uint64_t& offset(uint64_t number) { return offsets[number & (offsets.size() - 1)]; }
    uint64_t offset(uint64_t number) const { return offsets[number & (offsets.size() - 1)]; }
    void grow();
  };
  enum class State : uint8_t {
    kGround,
    kEscape,
    kIntermediate,  // of an escape sequence: ESC ( B
    kControl,       // CSI
    kString,        // OSC, DCS, SOS, PM, APC
    kStringEscape,  // ESC in one: its end, or another sequence
  };
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
  size_t frame_ = 0;  // how many bytes of what may be a character of a frame have come: 0 to 2
  char frame_second_ = 0;
  uint64_t fed_ = 0;
  std::vector<Span> spans_;
};

}  // namespace orch::mask
