#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "term/block.h"
#include "term/fields.h"
#include "term/sequence.h"
#include "term/simd/kernels.h"
#include "term/simd/scan.h"
#include "term/simd/stops.h"
#include "term/transitions.h"

namespace orch::term {

// Splits an application's output into text and control functions, and passes them to a Handler:
//   void ascii(Kernels, const char* at, size_t length)    printable ASCII
//   const char* unicode(Kernels, const char* at, const char* end)
//                 text from 0x80 on at `at`; returns the end of the text taken
//   void control(uint8_t c0)    a C0 control or DEL
//   void escape(char intermediate, char final)    0: none, kSeveral: more than one
//   bool plain(Kernels, const char* fields, size_t length)
//                 CSI with `length` digits, separators and prefixes, followed by any byte; if it
//                 returns false, the sequence is passed on by one of the next two
//   void plain_sequence(const ControlSequence&)    without prefix and intermediate
//   void marked_sequence(const ControlSequence&)    with one of them
//   void osc(std::string_view payload, StringEnd end)    cut at kMaxStringBytes
//   void dcs(std::string_view payload)    the same, with its parameters and its final byte
// Kernels is Portable or Avx2 (simd/kernels.h), which work on many bytes at once. Every byte
// sequence is accepted, and the state kept between two calls of feed() is bounded. However the same
// bytes are split, the calls are the same, except for where runs of text are cut.
template <class Handler>
class Parser {
 public:
  static constexpr size_t kMaxStringBytes = 4096;
  static constexpr char kSeveral = '\x7F';

  explicit Parser(Handler& handler) : handler_(handler) {}

  template <class Kernels = Portable>
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      block_.refill(bytes);
      const char* at = block_.begin();
      const char* const end = block_.end();
      const typename Kernels::Stops stops(at, end, stop_bits_);
      while (at != end)
        at = state_ == State::kGround ? ground<Kernels>(at, end, stops) : step(at, end);
    }
  }

  // Bytes that bring a new parser into the state of this one: the beginning of a sequence, a string
  // or a character whose rest has not come yet.
  std::string unfinished() const { return begun_sequence() + std::string(block_.cut()); }

 private:
  std::string begun_sequence() const {
    switch (state_) {
      case State::kGround:
        return "";
      case State::kEscape:
        return "\033";
      case State::kEscapeIntermediate:
        return "\033" + intermediates();
      case State::kCsiEntry:
      case State::kCsiParam:
      case State::kCsiIntermediate:
        return "\033[" + parameters() + intermediates();
      case State::kCsiIgnore:
        return "\033[ 0";
      case State::kOscString:
        return "\033]" + string_;
      case State::kDcsString:
        return "\033P" + string_;
      case State::kIgnoredString:
        return "\033X";
    }
    return "";
  }

  std::string intermediates() const {
    if (sequence_.intermediate == 0) return "";
    return sequence_.intermediate == kSeveral ? "  " : std::string(1, sequence_.intermediate);
  }

  std::string parameters() const {
    std::string out(sequence_.prefix == 0 ? 0 : 1, sequence_.prefix);
    for (int i = 0; i < fields_; ++i) {
      const bool kept = i < ControlSequence::kMaxParams;
      if (i > 0) out += kept && ((sequence_.colons >> i) & 1U) != 0 ? ':' : ';';
      if (kept) out += std::to_string(sequence_.params[static_cast<size_t>(i)]);
    }
    return out;
  }

  // Reads text, single controls, and the plain control sequences and strings between them, until a
  // sequence comes that needs another state.
  template <class Kernels>
  const char* ground(const char* at, const char* end, typename Kernels::Stops stops) {
    Handler& handler = handler_;
    while (at != end) {
      const auto byte = static_cast<uint8_t>(*at);
      if (byte == 0x1B) {
        const char* const next = read_sequence<Kernels>(handler, at, end, stops(at));
        if (next == nullptr) {
          clear();
          state_ = State::kEscape;
          return at + 1;
        }
        at = next;
      } else if (byte >= 0x80) {
        at = handler.unicode(Kernels{}, at, end);
      } else if (byte < 0x20 || byte == 0x7F) {
        handler.control(byte);
        ++at;
      } else {
        const char* const stop = stops(at);
        handler.ascii(Kernels{}, at, static_cast<size_t>(stop - at));
        at = stop;
      }
    }
    return at;
  }

  // Reads a plain sequence or an OSC string if all of it is here; returns nullptr for another
  // sequence or one that is cut.
  template <class Kernels>
  const char* read_sequence(Handler& handler, const char* at, const char* end, const char* stop) {
    if (at[1] != '[') return read_osc(at, end);
    const char* const fields = at + 2;
    const auto length = static_cast<size_t>(stop - fields);
    const bool taken = handler.plain(Kernels{}, fields, length) || dispatch_plain(fields, length);
    return taken ? stop + 1 : nullptr;
  }

  [[gnu::noinline]] const char* read_osc(const char* at, const char* end) {
    if (at[1] != ']') return nullptr;
    const char* const payload = at + 2;
    const char* const stop = payload + scan_text(payload, end);  // at `end` the string is cut
    if (stop == end || (*stop != '\a' && (*stop != '\033' || stop[1] != '\\'))) return nullptr;
    const bool bell = *stop == '\a';
    handler_.osc({payload, stop}, bell ? StringEnd::kBell : StringEnd::kStringTerminator);
    if (bell) return stop + 1;
    handler_.escape(0, '\\');
    return stop + 2;
  }

  [[gnu::noinline]] bool dispatch_plain(const char* fields, size_t length) {
    const bool dec = *fields == '?' && length != 0;
    if (!read_fields(fields + dec, length - dec, sequence_)) return false;
    sequence_.intermediate = 0;
    if (dec) {
      sequence_.prefix = '?';
      handler_.marked_sequence(sequence_);
    } else {
      sequence_.prefix = 0;
      handler_.plain_sequence(sequence_);
    }
    return true;
  }

  [[gnu::noinline]] const char* step(const char* at, const char* end) {
    if (state_ == State::kOscString || state_ == State::kDcsString) at = collect(at, end);
    if (state_ == State::kIgnoredString) at += scan_text(at, end);
    if (at == end) return at;
    const auto byte = static_cast<uint8_t>(*at);
    const Transition transition = transitions()[static_cast<size_t>(state_)][byte];
    state_ = transition.next;
    act(transition.action, byte);
    return transition.action == Action::kAbort ? at : at + 1;
  }

  const char* collect(const char* at, const char* end) {
    const char* stop = at + scan_text(at, end);
    const auto room = static_cast<std::ptrdiff_t>(kMaxStringBytes - string_.size());
    string_.append(at, at + std::min(room, stop - at));
    return stop;
  }

  void act(Action action, uint8_t byte) {
    switch (action) {
      case Action::kNone:
      case Action::kAbort:
        break;
      case Action::kExecute:
        handler_.control(byte);
        break;
      case Action::kClear:
        clear();
        break;
      case Action::kPrefix:
        sequence_.prefix = static_cast<char>(byte);
        break;
      case Action::kParam:
        add_parameter_byte(byte);
        break;
      case Action::kIntermediate:
        sequence_.intermediate = sequence_.intermediate == 0 ? static_cast<char>(byte) : kSeveral;
        break;
      case Action::kDispatchEscape:
        handler_.escape(sequence_.intermediate, static_cast<char>(byte));
        break;
      case Action::kDispatchCsi:
        sequence_.count = static_cast<uint8_t>(std::min(fields_, ControlSequence::kMaxParams));
        sequence_.final = static_cast<char>(byte);
        if (sequence_.prefix == 0 && sequence_.intermediate == 0) {
          handler_.plain_sequence(sequence_);
        } else {
          handler_.marked_sequence(sequence_);
        }
        break;
      case Action::kStringStart:
        string_.clear();
        break;
      case Action::kOscEnd:
        clear();
        handler_.osc(string_, byte == 0x07 ? StringEnd::kBell : StringEnd::kStringTerminator);
        string_.clear();
        break;
      case Action::kDcsEnd:
        clear();
        handler_.dcs(string_);
        string_.clear();
        break;
    }
  }

  void clear() {
    sequence_ = {};
    fields_ = 0;
  }

  void add_parameter_byte(uint8_t byte) {
    if (fields_ == 0) fields_ = 1;
    if (byte == ';' || byte == ':') {
      if (fields_ <= ControlSequence::kMaxParams) ++fields_;
      if (byte == ':' && fields_ <= ControlSequence::kMaxParams) {
        sequence_.colons |= 1U << (fields_ - 1);
      }
    } else if (fields_ <= ControlSequence::kMaxParams) {
      uint16_t& value = sequence_.params[static_cast<size_t>(fields_ - 1)];
      value = static_cast<uint16_t>(
          std::min<uint32_t>(value * 10U + (byte - '0'), ControlSequence::kMaxValue));
    }
  }

  Handler& handler_;
  State state_ = State::kGround;
  ControlSequence sequence_;
  int fields_ = 0;  // parameters begun; kMaxParams + 1 if some were dropped
  Block block_;
  StopBits stop_bits_{};
  std::string string_;
};

}  // namespace orch::term
