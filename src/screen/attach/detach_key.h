#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::attach {

inline constexpr std::string_view kDefaultDetachKey = "C-]";  // telnet's key
// An ESC without further bytes for this long was the Escape key, not the beginning of a sequence.
inline constexpr int64_t kEscapeMs = 30;

// Finds the user's key for leaving in the bytes of their terminal: as a control character, and in
// the two forms that terminals send to programs that asked for unambiguous keys (CSI 93;5u, CSI
// 27;5;93~). Inside of a bracketed paste it counts as text. A form of several bytes is found
// however it is split.
class DetachKey {
 public:
  // Reads "C-]", "C-a", "^A" or "none"; an error lists the allowed names. Not allowed are C-c,
  // which interrupts an agent, and C-i and C-m, which are Tab and Enter.
  static base::Result<DetachKey> named(std::string_view name);
  DetachKey() : DetachKey(*named(kDefaultDetachKey)) {}

  struct Found {
    std::string before;    // the bytes to be typed
    bool pressed = false;  // the key came after them
    // the bytes after the key; valid as long as the bytes given to find()
    std::string_view rest = {};
  };
  // Searches up to the first press of the key. Bytes that may begin the key are kept back until the
  // next call; release() returns them when no more have come for a moment.
  Found find(std::string_view bytes);
  std::string release();
  bool keeps() const { return !kept_.empty(); }

  const std::string& name() const { return name_; }  // "Ctrl-]"; "" for none

 private:
  enum class Match : uint8_t { kNo, kBegins, kYes };
  DetachKey(std::string name, char control);
  Match match(std::string_view bytes, size_t& length) const;

  std::string name_;
  char control_ = 0;  // 0: no key is set
  int code_ = 0;      // the key's code point without Ctrl
  std::string kept_;
  bool in_paste_ = false;
};

}  // namespace orch::attach
