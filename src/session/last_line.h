#pragma once

#include <memory>
#include <string>

#include "driver/driver.h"
#include "mask/secrets.h"

namespace orch::session {

// The last line that stands on the agent's screen, or that it wrote to standard error where it has
// none: there an agent that fails says why. Without frames, rules, control characters and secrets;
// a line that was wrapped is whole, a very long one is cut. "": there is none.
std::string last_line_of(const driver::Driver& agent,
                         const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::session
