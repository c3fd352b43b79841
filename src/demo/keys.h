#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::demo {

// One thing the user did, or the terminal answered.
struct Key {
  enum class Kind : uint8_t {
    kText,     // typed characters, valid UTF-8 without controls (but tab)
    kPaste,    // between CSI 200~ and CSI 201~, exactly as it came but for line ends, which are LF
    kNewline,  // LF or Alt+Enter: a line break in the draft
    kEnter,
    kEscape,
    kUp,
    kDown,
    kBackspace,
    kInterrupt,    // Ctrl-C
    kClear,        // Ctrl-U
    kEndOfInput,   // Ctrl-D
    kFramesKnown,  // the terminal knows mode 2026 (its answer to DECRQM)
  };
  Kind kind = Kind::kText;
  std::string text;
};

// Reads what a terminal sends to an application. Total: unknown sequences and the terminal's
// answers to queries are dropped. A sequence or a character cut by a read waits for its rest.
class KeyReader {
 public:
  // An ESC that nothing follows for this long was the Esc key (as Ink, which Claude Code is built
  // on, and vim's ttimeoutlen decide it).
  static constexpr int64_t kEscapeMs = 50;

  std::vector<Key> read(std::string_view bytes, int64_t now_ms);

  // When a lone ESC becomes the Esc key, if one waits; call expire() then.
  std::optional<int64_t> deadline() const;
  std::vector<Key> expire(int64_t now_ms);

 private:
  size_t take_one(std::vector<Key>& keys);  // bytes used of pending_; 0: more must come
  size_t take_paste(std::vector<Key>& keys);
  size_t take_escape(std::vector<Key>& keys);
  size_t take_csi(std::vector<Key>& keys);
  size_t take_text(std::vector<Key>& keys);

  std::string pending_;
  std::optional<std::string> paste_;  // what came of the paste that is being read
  int64_t pending_since_ms_ = 0;
};

}  // namespace orch::demo
