#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::attach {

inline constexpr std::string_view kDefaultDetachKey = "C-]";  // telnet's key
// An ESC after which nothing has come for so long was the key, and no beginning of another.
inline constexpr int64_t kEscapeMs = 30;

// Finds the key by which a person leaves in what their terminal sends: as the control character,
// and in the two forms in which terminals send keys that a program asked to be told apart (CSI
// 93;5u, CSI 27;5;93~). Inside a bracketed paste it is text. Keys of more bytes than one are found
// in whatever pieces they come.
class DetachKey {
 public:
  // "C-]", "C-a", "^A", "none"; an error says what is allowed. Of the letters those that every
  // terminal needs (C-c is not among them: an agent is interrupted by it) are allowed as well.
  static base::Result<DetachKey> named(std::string_view name);
  DetachKey() : DetachKey(*named(kDefaultDetachKey)) {}

  struct Found {
    std::string before;          // what is to be typed
    bool pressed = false;        // the key came after that
    std::string_view rest = {};  // what came after the key; valid as long as the bytes given
  };
  // Up to the first press of the key. What may be the beginning of it is kept back until the next
  // call; release() gives it up when nothing has come for a moment.
  Found find(std::string_view bytes);
  std::string release();
  bool keeps() const { return !kept_.empty(); }

  const std::string& name() const { return name_; }  // "Ctrl-]"; "" for none

 private:
  enum class Match : uint8_t { kNo, kBegins, kYes };
  DetachKey(std::string name, char control);
  Match match(std::string_view bytes, size_t& length) const;

  std::string name_;
  char control_ = 0;  // 0: there is no such key
  int code_ = 0;      // the key's code point without Ctrl
  std::string kept_;
  bool in_paste_ = false;
};

}  // namespace orch::attach
