#include "mask/marker.h"

#include <algorithm>
#include <array>
#include <utility>

namespace orch::mask {
namespace {

// The kind of a byte outside of sequences.
enum class Kind : uint8_t { kVisible, kBlank, kRow, kEscape, kFrame, kControl };

constexpr std::array<Kind, 256> kinds() {
  std::array<Kind, 256> kinds{};
  for (size_t byte = 0; byte < ' '; ++byte) kinds[byte] = Kind::kControl;
  kinds['\x7f'] = Kind::kControl;
  for (const char byte : {' ', '\t', '|'}) kinds[static_cast<size_t>(byte)] = Kind::kBlank;
  for (const char byte : {'\n', '\r', '\v', '\f'}) kinds[static_cast<size_t>(byte)] = Kind::kRow;
  kinds['\x1b'] = Kind::kEscape;
  kinds[0xE2] = Kind::kFrame;
  return kinds;
}
constexpr std::array<Kind, 256> kKinds = kinds();
Kind kind_of(char byte) { return kKinds[static_cast<unsigned char>(byte)]; }

// Frame characters: U+2500 to U+25BF, which are lines, blocks and bars, E2 94 80 to E2 96 BF in
// UTF-8.
constexpr char kFrameFirst = '\xE2';
bool is_frame_second(char byte) { return byte >= '\x94' && byte <= '\x96'; }
bool is_continuation(char byte) { return (byte & '\xC0') == '\x80'; }
constexpr size_t kFrameBytes = 3;

// The gap between the characters before a control sequence and those after it.
Gap gap_of(char final_byte) {
  switch (final_byte) {
    case 'C':  // CUF, which agents write in place of blanks
    case 'X':  // ECH
      return Gap::kBlank;
    case 'A':
    case 'B':
    case 'D':
    case 'E':
    case 'F':
    case 'G':
    case 'H':
    case 'J':
    case 'S':
    case 'T':
    case 'd':
    case 'f':
      return Gap::kRow;
    default:
      return Gap::kEscape;
  }
}

bool ends_control(char byte) { return byte == '\x1b' || (byte >= '@' && byte <= '~'); }

}  // namespace

Marker::Marker(std::shared_ptr<const Secrets> secrets)
    : secrets_(std::move(secrets)), screen_{Scanner(*secrets_)}, string_{Scanner(*secrets_)} {}

void Marker::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t passed = 0;
    if (state_ == State::kControl) passed = pass_over_control(bytes);
    if (state_ == State::kGround && frame_ == 0) passed = pass_over_ground(bytes);
    bytes.remove_prefix(passed);
    if (bytes.empty()) return;
    step(bytes.front());
    ++fed_;
    bytes.remove_prefix(1);
  }
}

// Takes bytes that step() would ignore. Returns how many.
size_t Marker::pass_over_control(std::string_view bytes) {
  const auto end = std::find_if(bytes.begin(), bytes.end(), ends_control);
  const auto length = static_cast<size_t>(end - bytes.begin());
  fed_ += length;
  return length;
}

// Does the same as step() for the beginning of `bytes`, up to a byte that may complete a secret or
// a sequence other than a whole control sequence. Returns how many bytes that are. They are most of
// an agent's bytes, so this is where the time goes.
size_t Marker::pass_over_ground(std::string_view bytes) {
  if (!screen_.scanner.is_calm()) return 0;
  const uint64_t begin = fed_;
  Gap gap = screen_.gap;
  const auto pass = [&](size_t count, Gap how) {
    gap = std::max(gap, how);
    bytes.remove_prefix(count);
    fed_ += count;
  };
  while (!bytes.empty()) {
    switch (kind_of(bytes.front())) {
      case Kind::kBlank:
        pass(1, Gap::kBlank);
        continue;
      case Kind::kRow:
        pass(1, Gap::kRow);
        continue;
      case Kind::kControl:
        pass(1, Gap::kEscape);
        continue;
      case Kind::kEscape: {
        if (bytes.size() < 2 || bytes[1] != '[') break;
        const auto end = std::find_if(bytes.begin() + 2, bytes.end(), ends_control);
        if (end == bytes.end() || *end == '\x1b') break;
        pass(static_cast<size_t>(end + 1 - bytes.begin()), std::max(Gap::kEscape, gap_of(*end)));
        continue;
      }
      case Kind::kFrame:
        if (bytes.size() < kFrameBytes) break;
        if (is_frame_second(bytes[1]) && is_continuation(bytes[2])) {
          pass(kFrameBytes, Gap::kBlank);
          continue;
        }
        [[fallthrough]];
      case Kind::kVisible: {
        const size_t taken = pass_over_text(bytes, gap);
        if (taken == 0) break;
        gap = Gap::kNone;
        pass(taken, Gap::kNone);
        continue;
      }
    }
    break;
  }
  screen_.gap = gap;
  return fed_ - begin;
}

// The same for visible bytes, the first of them after a gap. Returns fewer than there are if the
// next one may complete a secret.
size_t Marker::pass_over_text(std::string_view bytes, Gap before) {
  Lane& lane = screen_;
  size_t taken = 0;
  do {
    if (lane.open >= lane.offsets.size()) lane.grow();
    lane.offset(lane.count) = fed_ + taken;
    if (!lane.scanner.pass_over(bytes[taken], before, lane.open)) break;
    ++lane.count;
    ++taken;
    before = Gap::kNone;
  } while (taken < bytes.size() && kind_of(bytes[taken]) == Kind::kVisible);
  return taken;
}

void Marker::end_row(Gap how) { widen(screen_, how); }

uint64_t Marker::settled() const {
  uint64_t settled = fed_ - frame_;
  for (const Lane* lane : {&screen_, &string_}) {
    if (lane->open == 0) continue;
    settled = std::min(settled, lane->offset(lane->count - lane->open));
  }
  return settled;
}

std::vector<Span> Marker::take_spans() { return std::exchange(spans_, {}); }

void Marker::step(char byte) {
  const bool is_final = byte >= '@' && byte <= '~';
  switch (state_) {
    case State::kGround:
      return ground(byte);
    case State::kEscape:
      return escape(byte);
    case State::kIntermediate:
      if (byte >= '0' || byte < ' ') state_ = State::kGround;
      return;
    case State::kControl:
      if (byte == '\x1b') {
        state_ = State::kEscape;
      } else if (is_final) {
        widen(screen_, gap_of(byte));
        state_ = State::kGround;
      }
      return;
    case State::kString:
    case State::kStringEscape:
      return string(byte);
  }
}

void Marker::ground(char byte) {
  if (frame_ > 0) {  // a character that began with E2, and may be a frame
    const uint64_t first = fed_ - frame_;
    if (frame_ == 1 && is_frame_second(byte)) {
      frame_second_ = byte;
      frame_ = 2;
      return;
    }
    const size_t came = std::exchange(frame_, 0);
    if (came == 2 && is_continuation(byte)) return widen(screen_, Gap::kBlank);
    visible(screen_, kFrameFirst, first);
    if (came == 2) visible(screen_, frame_second_, first + 1);
  }
  if (byte == '\x1b') {
    state_ = State::kEscape;
  } else if (byte == '\n' || byte == '\r' || byte == '\v' || byte == '\f') {
    widen(screen_, Gap::kRow);
  } else if (byte == ' ' || byte == '\t' || byte == '|') {
    widen(screen_, Gap::kBlank);
  } else if (byte == kFrameFirst) {
    frame_ = 1;
  } else if (static_cast<unsigned char>(byte) < ' ' || byte == '\x7f') {
    widen(screen_, Gap::kEscape);
  } else {
    visible(screen_, byte, fed_);
  }
}

void Marker::escape(char byte) {
  widen(screen_, Gap::kEscape);
  if (byte == '[') {
    state_ = State::kControl;
  } else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
    state_ = State::kString;
    string_.gap = Gap::kWall;
  } else if (byte >= ' ' && byte < '0') {
    state_ = State::kIntermediate;
  } else if (byte != '\x1b') {
    if (byte == 'D' || byte == 'E' || byte == 'M' || byte == '8') widen(screen_, Gap::kRow);
    if (byte == 'c') widen(screen_, Gap::kWall);
    state_ = State::kGround;
  }
}

void Marker::string(char byte) {
  if (state_ == State::kStringEscape && byte != '\\') {
    string_.open = 0;
    state_ = State::kEscape;
    return escape(byte);
  }
  const bool ends =
      state_ == State::kStringEscape || byte == '\a' || byte == '\x18' || byte == '\x1a';
  if (ends) {
    string_.open = 0;
    state_ = State::kGround;
  } else if (byte == '\x1b') {
    state_ = State::kStringEscape;
  } else if (static_cast<unsigned char>(byte) <= ' ' || byte == '|') {
    widen(string_, Gap::kBlank);
  } else {
    visible(string_, byte, fed_);
  }
}

// Text that begins like a secret is seldom this long; a web token with certificates is.
void Marker::Lane::grow() {
  std::vector<uint64_t> more(offsets.size() * 2);
  for (uint64_t i = count - offsets.size(); i < count; ++i) more[i & (more.size() - 1)] = offset(i);
  offsets = std::move(more);
}

void Marker::visible(Lane& lane, char byte, uint64_t offset) {
  if (lane.open >= lane.offsets.size()) lane.grow();
  lane.offset(lane.count) = offset;
  ++lane.count;
  const Scanner::Step step = lane.scanner.next(byte, std::exchange(lane.gap, Gap::kNone));
  lane.open = step.open;
  if (step.secret > 0 || lane.scanner.has_earlier()) mark_found(lane, step.secret);
}

void Marker::mark_found(Lane& lane, size_t secret) {
  const Scanner::Earlier earlier = lane.scanner.take_earlier();
  mark(lane, earlier.length + earlier.since, earlier.since);
  mark(lane, secret, 0);
}

// Marks the last `from` bytes of the lane except for the last `to`.
void Marker::mark(const Lane& lane, size_t from, size_t to) {
  for (size_t i = from; i > to; --i) {
    const uint64_t at = lane.offset(lane.count - i);
    if (!spans_.empty() && spans_.back().to == at) {
      ++spans_.back().to;
    } else {
      spans_.push_back({at, at + 1});
    }
  }
}

}  // namespace orch::mask
