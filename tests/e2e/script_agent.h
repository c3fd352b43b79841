#pragma once

#include <string>

#include "workspace.h"

namespace orch::e2e {

// Installs a headless agent whose turn is a shell script. The script has the message in $message,
// and the functions `say TEXT` (with \n for a line feed), `finish`, which says that all is done and
// ends the turn, and `limit`, which ends it at the vendor's limit.
void install_agent(const Workspace& workspace, const std::string& name, const std::string& script);

}  // namespace orch::e2e
