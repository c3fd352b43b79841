#pragma once

#include <memory>
#include <string>

#include "host/member_start.h"
#include "setup/versions.h"
#include "tmux/server.h"

namespace orch::setup {

// What a person is to know of a member's start, on standard error.
void say_of_member(const std::string& member, const std::string& note);

// Has the program of a member asked for its version, which it may not say in time.
std::unique_ptr<host::Preparation> ask_version_of(const std::string& member, Asked asked);

// Has tmux answer. A pane is opened in the crew's own loop, all members of which wait meanwhile, so
// that this begins only with a tmux that answers at once; one that does not within 5 s is an error.
std::unique_ptr<host::Preparation> await_tmux(tmux::Server server);

}  // namespace orch::setup
