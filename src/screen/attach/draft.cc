#include "attach/draft.h"

namespace orch::attach {
namespace {

constexpr char kCtrlC = '\x03', kCtrlD = '\x04', kCtrlU = '\x15', kEscape = '\x1b';
constexpr size_t kMostParameters = 32;
constexpr int kX10MouseBytes = 3;  // how many bytes follow CSI M

// The code point of the key in a CSI u or CSI 27 sequence, from parameters such as "13;1" and
// "27;5;13".
std::string_view key_code(std::string_view parameters) {
  if (parameters.starts_with("27;")) return parameters.substr(parameters.rfind(';') + 1);
  return parameters.substr(0, parameters.find_first_of(";:"));
}

}  // namespace

void Draft::on_typed(std::string_view bytes) {
  for (const char byte : bytes) on_byte(byte);
  if (state_ == State::kEscape) {  // nothing follows: it was the Escape key
    state_ = State::kGround;
    open_ = false;
  }
}

void Draft::on_byte(char byte) {
  switch (state_) {
    case State::kGround:
      if (byte == kEscape) {
        state_ = State::kEscape;
      } else if (byte == '\r' || byte == kCtrlC || byte == kCtrlD || byte == kCtrlU) {
        open_ = false;
      } else if (static_cast<unsigned char>(byte) >= ' ' && byte != '\x7f') {
        open_ = true;
      }
      return;
    case State::kEscape:
      parameters_.clear();
      if (byte == '[') {
        state_ = State::kSequence;
      } else if (byte == 'O') {
        left_to_skip_ = 1;
        state_ = State::kOneMore;
      } else if (byte != kEscape) {
        state_ = State::kGround;  // Alt and a key
        open_ = true;
      }
      return;
    case State::kSequence:
      if (byte >= '@' && byte <= '~') return on_sequence_end(byte);
      if (parameters_.size() < kMostParameters) parameters_.push_back(byte);
      return;
    case State::kOneMore:
      if (--left_to_skip_ == 0) state_ = State::kGround;
      return;
  }
}

void Draft::on_sequence_end(char last) {
  state_ = State::kGround;
  if (last == 'M' && parameters_.empty()) {
    left_to_skip_ = kX10MouseBytes;
    state_ = State::kOneMore;
  } else if (last == '~' && parameters_ == "200") {
    open_ = true;  // a paste begins
  } else if (last == 'u' || (last == '~' && parameters_.starts_with("27;"))) {
    const std::string_view key = key_code(parameters_);
    open_ = key != "13" && key != "27";
  }
}

}  // namespace orch::attach
