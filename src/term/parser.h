#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"
#include "term/fast_sequence.h"
#include "term/scan.h"
#include "term/sequence.h"
#include "term/transitions.h"

namespace orch::term {

// Splits an application's output into text and control functions and hands them to a Handler:
//   const char* text(const char* at, const char* end)   takes the text up to the next C0 control or
//   DEL
//                       or the end, and returns where that is; never empty. What is malformed there
//                       is malformed: a character whose rest may still come is not handed over.
//   void control(uint8_t c0)                            a C0 control or DEL
//   void escape(char intermediate, char final)          intermediate 0: none, kSeveral: more than
//   one void sequence(const ControlSequence& sequence) void osc(std::string_view payload, StringEnd
//   end)   cut at kMaxOscBytes
// Total: every byte sequence is accepted, and all that is kept between two calls of feed() is
// bounded. Any split of the same bytes gives the same calls, but for where runs of text are cut.
template <class Handler>
class Parser {
 public:
  static constexpr size_t kMaxOscBytes = 4096;
  static constexpr char kSeveral = '\x7F';

  explicit Parser(Handler& handler) : handler_(handler) {}

  void feed(std::string_view bytes) {
    if (pending_size_ != 0) bytes.remove_prefix(complete_character(bytes));
    const size_t cut = base::incomplete_utf8_tail(bytes);
    if (cut != 0) {
      bytes.copy(pending_.data(), cut, bytes.size() - cut);
      pending_size_ = cut;
      bytes.remove_suffix(cut);
    }
    consume(bytes.data(), bytes.data() + bytes.size());
  }

 private:
  void consume(const char* at, const char* end) {
    while (at != end) at = state_ == State::kGround ? ground(at, end) : step(at, end);
  }

  // Text and lone controls, and the plain control sequences between them, until another state is
  // due.
  const char* ground(const char* at, const char* end) {
    while (at != end) {
      const auto byte = static_cast<uint8_t>(*at);
      if (byte == 0x1B) {
        const char* next = read_sequence(at + 1, end);
        if (next == nullptr) {
          clear();
          state_ = State::kEscape;
          return at + 1;
        }
        at = next;
      } else if (byte < 0x20 || byte == 0x7F) {
        handler_.control(byte);
        ++at;
      } else {
        at = handler_.text(at, end);
      }
    }
    return at;
  }

  // Reads a plain sequence that is here as a whole; nullptr when it is another or is cut.
  const char* read_sequence(const char* at, const char* end) {
    constexpr int kReadable = 2 + kPlainWindow + 3;  // "[?", and what read_fields asks for
    if (end - at < kReadable || *at != '[') return nullptr;
    const bool dec = at[1] == '?';
    const char* const fields = at + (dec ? 2 : 1);
    const int length = find_final(fields);
    if (length == kPlainWindow) return nullptr;
    const char* const next = fields + length + 1;
    if (fields[length] == 'm' && !dec) return handler_.style(fields, length) ? next : nullptr;
    if (fields[length] == 0x7F || !read_fields(fields, length, sequence_)) return nullptr;
    sequence_.intermediate = 0;
    if (dec) {
      sequence_.prefix = '?';
      handler_.marked_sequence(sequence_);
    } else {
      sequence_.prefix = 0;
      handler_.plain_sequence(sequence_);
    }
    return next;
  }

  // A character cut by the end of an input waited in pending_ for its rest. Returns how many of
  // `bytes` were its rest; when they do not end it, it waits on.
  size_t complete_character(std::string_view bytes) {
    std::array<char, 8> joined = pending_;
    const size_t more = bytes.copy(joined.data() + pending_size_, 4);
    const std::string_view all(joined.data(), pending_size_ + more);
    if (base::incomplete_utf8_tail(all) == all.size()) {
      pending_ = joined;
      pending_size_ = all.size();
      return more;
    }
    const size_t length = base::decode_utf8(all).length;
    const size_t taken = length - pending_size_;
    pending_size_ = 0;
    consume(joined.data(), joined.data() + length);
    return taken;
  }

  const char* step(const char* at, const char* end) {
    if (state_ == State::kOscString) at = collect_osc(at, end);
    if (state_ == State::kIgnoredString) at += scan_text(at, end);
    if (at == end) return at;
    const auto byte = static_cast<uint8_t>(*at);
    const Transition transition = transitions()[static_cast<size_t>(state_)][byte];
    state_ = transition.next;
    act(transition.action, byte);
    return transition.action == Action::kAbort ? at : at + 1;
  }

  const char* collect_osc(const char* at, const char* end) {
    const char* stop = at + scan_text(at, end);
    const auto room = static_cast<std::ptrdiff_t>(kMaxOscBytes - osc_.size());
    osc_.append(at, at + std::min(room, stop - at));
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
      case Action::kOscStart:
        osc_.clear();
        break;
      case Action::kOscEnd:
        clear();
        handler_.osc(osc_, byte == 0x07 ? StringEnd::kBell : StringEnd::kStringTerminator);
        osc_.clear();
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
  int fields_ = 0;  // parameters begun, one more than kMaxParams when some were dropped
  std::array<char, 8> pending_{};
  size_t pending_size_ = 0;
  std::string osc_;
};

}  // namespace orch::term
