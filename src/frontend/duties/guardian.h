#pragma once

namespace orch::duties {

// `orch internal guardian`, which only orch itself starts: a process that cleans up after a host of
// sessions that died of SIGKILL or a crash. Its standard input is a pipe from that host
// (pty/guardian.h). When the pipe ends, it ends the processes that still run, and then corrects the
// files of the runs and sessions. Prints nothing; always returns 0.
int run_guardian();

}  // namespace orch::duties
