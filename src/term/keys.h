#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::term {

// The bytes a terminal sends for a key, by the names tmux uses: Enter, Escape, Tab, BTab, Backspace
// (BSpace), Space, Up, Down, Left, Right, Home, End, PageUp (PgUp), PageDown (PgDn), Delete (DC),
// C-a to C-z, or one printable character as it is. Nothing: there is no such key.
enum class CursorKeys { kNormal, kApplication };  // DECCKM: Modes::application_cursor
std::optional<std::string> key_bytes(std::string_view name, CursorKeys cursor_keys);

// `text` as it may be typed into an application: CRLF and CR become LF; C0 controls but tab and LF,
// DEL and C1 controls are removed, so that nothing in it acts as a key; malformed UTF-8 becomes
// U+FFFD. Nothing is trimmed. Bracketed: between CSI 200 ~ and CSI 201 ~ (Modes::bracketed_paste).
enum class PasteMode { kPlain, kBracketed };
std::string paste_bytes(std::string_view text, PasteMode mode);

// How far apart two keys have to be typed, in milliseconds. Keys that come together are taken for a
// paste, and an Escape with what follows it for Alt: applications wait 50 ms at most for the rest
// of a sequence (the libraries that agents use; measured safe from 50 ms on).
inline constexpr int64_t kKeyGapMs = 60;

}  // namespace orch::term
