#pragma once

#include <string>
#include <string_view>
#include <vector>

// zellij's command line (0.45 and later; its `cli.rs` explains each word). Everything is passed as
// arguments, so typed text is visible in the process list for a moment: zellij has no other way.
// Pure except for remove_session().
namespace orch::mux::zellij {

inline constexpr const char* kProgram = "zellij";

using Words = std::vector<std::string>;

// The settings of a session whose pane is a plain terminal, without a frame or a wizard, and whose
// command is not run again after the server's death.
inline constexpr std::string_view kSettings =
    "pane_frames false\nshow_startup_tips false\nshow_release_notes false\n"
    "session_serialization false\n";

// A session in the background whose only pane is the command, which no shell reads. `settings` is a
// file with kSettings.
Words create_session(const std::string& session, const std::string& settings, const Words& command);
Words type_bytes(const std::string& session, const std::string& pane, std::string_view bytes);
Words dump_screen(const std::string& session, const std::string& pane);
// Prints the pane's rows whenever they change, as lines of JSON.
Words subscribe(const std::string& session, const std::string& pane);
Words delete_session(const std::string& session);  // also ends its processes
Words attach(const std::string& session);
Words watch(const std::string& session);  // read only

// The most bytes for one type_bytes().
inline constexpr size_t kMaxTyped = 4096;

// Ends and deletes a session, and waits for that, 5 s at most.
void remove_session(const std::string& session);

}  // namespace orch::mux::zellij
