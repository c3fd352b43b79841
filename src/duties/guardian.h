#pragma once

namespace orch::duties {

// `orch guardian`, which only orch itself starts: what is left of a process that owned sessions and
// died of SIGKILL or a crash. Its standard input is the pipe from that process (pty/guardian.h).
// Ends what still runs, then makes the files tell the truth. Prints nothing; always 0.
int run_guardian();

}  // namespace orch::duties
