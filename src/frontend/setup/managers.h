#pragma once

#include <string>

#include "base/result.h"
#include "mux/manager_choice.h"
#include "mux/session_manager.h"
#include "session/session_setup.h"

namespace orch::setup {

// The multiplexer programs of this process.
base::Result<mux::Tools> tools_here();

// Where this process runs, and which multiplexers are installed.
mux::Circumstances circumstances(bool background);

// Makes the session's agent run in the chosen manager.
void hold_by(const mux::Choice& choice, const mux::Tools& tools, session::SessionSetup& setup);

// Makes an agent of a crew run in a tile of the crew's place, if its manager has tiles.
void hold_in_crew(const std::string& place, const std::string& title, const mux::Tools& tools,
                  session::SessionSetup& setup);

}  // namespace orch::setup
