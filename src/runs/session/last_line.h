#pragma once

#include <memory>
#include <string>

#include "driver/driver.h"
#include "mask/secrets.h"

namespace orch::session {

// The last line of text on the agent's screen or, of an agent without a screen, in its standard
// error: there an agent that fails says why. Frames, rules, control characters and secrets are
// taken out; a wrapped line is joined, a very long one cut. "": there is none.
std::string last_line_of(const driver::Driver& agent,
                         const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::session
