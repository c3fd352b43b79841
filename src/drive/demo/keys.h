#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::demo {

// Something that the user did, or an answer of the terminal.
struct Key {
  enum class Kind : uint8_t {
    kText,     // typed characters, valid UTF-8 without controls except for tab
    kPaste,    // text between CSI 200~ and CSI 201~, unchanged except that its line ends are LF
    kNewline,  // LF or Alt+Enter: a line break in the draft
    kEnter,
    kEscape,
    kUp,
    kDown,
    kBackspace,
    kInterrupt,    // Ctrl-C
    kClear,        // Ctrl-U
    kEndOfInput,   // Ctrl-D
    kFramesKnown,  // the terminal knows mode 2026, according to its answer to DECRQM
  };
  Kind kind = Kind::kText;
  std::string text;
};

// Reads the input that a terminal sends to an application. It accepts any bytes; unknown sequences
// and the terminal's other answers are dropped. A sequence or character that is cut by the end of a
// read waits for its rest.
class KeyReader {
 public:
  // An ESC without a following byte for this long was the Esc key. Ink, the basis of Claude Code,
  // and vim's ttimeoutlen decide in the same way.
  static constexpr int64_t kEscapeMs = 50;

  std::vector<Key> read(std::string_view bytes, int64_t now_ms);

  // The time when a waiting ESC counts as the Esc key, if there is one; call expire() then.
  std::optional<int64_t> deadline() const;
  std::vector<Key> expire(int64_t now_ms);

 private:
  // Returns how many bytes of pending_ it has used; 0: more must come.
  size_t take_one(std::vector<Key>& keys);
  size_t take_paste(std::vector<Key>& keys);
  size_t take_escape(std::vector<Key>& keys);
  size_t take_csi(std::vector<Key>& keys);
  size_t take_text(std::vector<Key>& keys);

  std::string pending_;
  std::optional<std::string> paste_;  // the part so far of an unfinished paste
  int64_t pending_since_ms_ = 0;
};

}  // namespace orch::demo
