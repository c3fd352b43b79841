#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::term {

// The bytes that a terminal sends for a key. Keys have tmux's names: Enter, Escape, Tab, BTab,
// Backspace (BSpace), Space, Up, Down, Left, Right, Home, End, PageUp (PgUp), PageDown (PgDn),
// Delete (DC), C-a to C-z, or one printable character as it is. nullopt for any other name.
enum class CursorKeys { kNormal, kApplication };  // DECCKM: Modes::application_cursor
std::optional<std::string> key_bytes(std::string_view name, CursorKeys cursor_keys);

// `text` made safe for typing into an application: CRLF and CR become LF; C0 controls except for
// tab and LF, DEL and C1 controls are removed, so that nothing in it acts as a key; malformed UTF-8
// becomes U+FFFD. Nothing is trimmed. If bracketed, it stands between CSI 200 ~ and CSI 201 ~
// (Modes::bracketed_paste).
enum class PasteMode { kPlain, kBracketed };
std::string paste_bytes(std::string_view text, PasteMode mode);

// How many milliseconds must lie between two keys. Applications mistake keys that arrive together
// for a paste, and an Escape together with the next key for Alt: they wait at most 50 ms for the
// rest of a sequence (the libraries that agents use; measured to be safe from 50 ms on).
inline constexpr int64_t kKeyGapMs = 60;

}  // namespace orch::term
