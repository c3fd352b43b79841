#pragma once

#include <string>
#include <string_view>
#include <vector>

// zellij's command line (0.44 and later; its `cli.rs` explains each word). Everything is passed as
// arguments, so typed text is visible in the process list for a moment: zellij has no other way.
// Pure except for remove_session().
namespace orch::mux::zellij {

inline constexpr const char* kProgram = "zellij";

using Words = std::vector<std::string>;

Words create_session(const std::string& session);
// `title` and `command` are passed as words of their own: no shell reads them.
Words run_in_pane(const std::string& session, const std::string& title, const Words& command);
Words type_bytes(const std::string& session, const std::string& pane, std::string_view bytes);
Words dump_screen(const std::string& session, const std::string& pane);
Words delete_session(const std::string& session);  // also ends its processes
Words attach(const std::string& session);
Words watch(const std::string& session);  // read only

// The most bytes for one type_bytes().
inline constexpr size_t kMaxTyped = 4096;

// Ends and deletes a session, and waits for that, 5 s at most.
void remove_session(const std::string& session);

}  // namespace orch::mux::zellij
