#pragma once

#include <string>
#include <string_view>

namespace orch::adapters {

// The names of the environment variables by which an agent's hook finds its way back: the program
// to run, the named pipe it writes its notice to, and the secret that it writes before it, so that
// the session knows its own agent's hooks from everybody else's words.
inline constexpr const char* kHookProgram = "ORCH_HOOK";
inline constexpr const char* kHookPipe = "ORCH_NOTICES";
inline constexpr const char* kHookSecret = "ORCH_NOTICES_KEY";

// A notice is one line of at most this many bytes with its end; with the secret and a blank before
// it a write to a pipe is whole (POSIX: PIPE_BUF is at least 512).
inline constexpr size_t kHookSecretBytes = 32;
inline constexpr size_t kMaxNoticeBytes = 512 - kHookSecretBytes - 1;

// What the JSON that an agent gives to its hooks says, as rules for notices see it:
// "hook PermissionRequest Bash" of a hook's input (Claude Code's: its name and the tool, kind or
// error), "notify agent-turn-complete <start of the message>" of codex's notify. Printable, without
// a line's end; empty when it is neither.
std::string notice_of(std::string_view json);

}  // namespace orch::adapters
