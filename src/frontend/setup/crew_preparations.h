#pragma once

#include <memory>
#include <string>

#include "host/member_start.h"
#include "mux/tmux/server.h"
#include "setup/versions.h"

namespace orch::setup {

// Prints a note about a member of a crew on standard error.
void say_of_member(const std::string& member, const std::string& note);

// Asks a member's program for its version before the member starts. Without an answer in time it
// starts without one.
std::unique_ptr<host::Preparation> ask_version_of(Asked asked);

// Waits until tmux answers. Opening a pane blocks the crew's loop, and so all its members, while
// tmux is asked; therefore this ends only once tmux answers at once. It is an error if that does
// not happen within 5 s.
std::unique_ptr<host::Preparation> await_tmux(mux::tmux::Server server);

}  // namespace orch::setup
