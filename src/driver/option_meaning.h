#pragma once

#include <string_view>

#include "agent/dialog_request.h"

namespace orch::driver {

// What choosing an option would mean, read from its words alone.
agent::Meaning meaning_of(std::string_view option);

// Whether it leads back to the prompt, where the agent is to be told what to do instead.
bool wants_words(std::string_view option);

}  // namespace orch::driver
