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
//   void text(std::string_view run)    whole characters and malformed bytes, no controls; never
//   empty void control(uint8_t c0)           a C0 control or DEL void escape(char intermediate,
//   char final)          intermediate 0: none, kSeveral: more than one void sequence(const
//   ControlSequence& sequence) void osc(std::string_view payload, StringEnd end)   cut at
//   kMaxOscBytes
// Total: every byte sequence is accepted, and all that is kept between two calls of feed() is
// bounded. Any split of the same bytes gives the same calls, but for where runs of text are cut.
template <class Handler>
class Parser {
 public:
  static constexpr size_t kMaxOscBytes = 4096;
  static constexpr char kSeveral = '\x7F';

  explicit Parser(Handler& handler) : handler_(handler) {}

  void feed(std::string_view bytes) {
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    if (pending_size_ != 0 && at != end) at = complete_character(at, end);
    while (at != end) at = state_ == State::kGround ? ground(at, end) : step(at, end);
  }

 private:
  // Text and lone controls, and the plain control sequences between them, until another state is
  // due.
  const char* ground(const char* at, const char* end) {
    while (at != end) {
      const auto byte = static_cast<uint8_t>(*at);
      if (byte == 0x1B) {
        const char* next = plain_sequence(at + 1, end);
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
        const char* stop = at + scan_text(at, end);
        hand_over_text({at, stop}, stop == end);
        at = stop;
      }
    }
    return at;
  }

  const char* plain_sequence(const char* at, const char* end) {
    if (end - at < 2 || *at != '[') return nullptr;
    const bool dec = at[1] == '?';
    const char* next = read_plain_sequence(at + (dec ? 2 : 1), end, sequence_);
    if (next == nullptr) return nullptr;
    sequence_.prefix = dec ? '?' : '\0';
    sequence_.intermediate = 0;
    handler_.sequence(sequence_);
    return next;
  }

  // A character cut by the end of the input waits in pending_ for its rest.
  void hand_over_text(std::string_view run, bool at_end) {
    if (at_end) {
      pending_size_ = base::incomplete_utf8_tail(run);
      run.copy(pending_.data(), pending_size_, run.size() - pending_size_);
      run.remove_suffix(pending_size_);
    }
    if (!run.empty()) handler_.text(run);
  }

  const char* complete_character(const char* at, const char* end) {
    std::array<char, 8> joined{};
    std::copy_n(pending_.data(), pending_size_, joined.data());
    const size_t more = scan_text_scalar(at, at + std::min<std::ptrdiff_t>(end - at, 4));
    std::copy_n(at, more, joined.data() + pending_size_);
    const std::string_view bytes(joined.data(), pending_size_ + more);
    if (at + more == end && base::incomplete_utf8_tail(bytes) == bytes.size()) {
      pending_ = joined;
      pending_size_ = bytes.size();
      return end;
    }
    const size_t length = base::decode_utf8(bytes).length;
    handler_.text(bytes.substr(0, length));
    at += length - pending_size_;
    pending_size_ = 0;
    return at;
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
        handler_.sequence(sequence_);
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
