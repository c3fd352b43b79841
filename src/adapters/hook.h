#pragma once

#include <string>
#include <string_view>

namespace orch::adapters {

// The environment variables that connect an agent's hook to its session: the program to run, the
// named pipe that takes its notice, and the secret that is written before the notice. The session
// recognises the hooks of its own agent by the secret.
inline constexpr const char* kHookProgram = "ORCH_HOOK";
inline constexpr const char* kHookPipe = "ORCH_NOTICES";
inline constexpr const char* kHookSecret = "ORCH_NOTICES_KEY";

// The longest notice in bytes, including its line feed. With the secret and a blank before it, it
// is still written to the pipe in one piece (in POSIX PIPE_BUF is at least 512).
inline constexpr size_t kHookSecretBytes = 32;
inline constexpr size_t kMaxNoticeBytes = 512 - kHookSecretBytes - 1;

// Turns the JSON that an agent gives to its hooks into the text of a notice, as rules for notices
// see it. Claude Code's hook input becomes "hook PermissionRequest Bash" (the hook's name and the
// tool, kind or error); codex's notify becomes "notify agent-turn-complete <start of the message>".
// The text is printable and has no line feed. It is empty for any other JSON.
std::string notice_of(std::string_view json);

}  // namespace orch::adapters
