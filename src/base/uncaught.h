#pragma once

namespace orch::base {

// From now on, an exception that nothing catches is logged with its text and the addresses of its
// callers before the process aborts. `addr2line -e orch ADDRESS` names the places.
void log_uncaught_exceptions();

}  // namespace orch::base
