#pragma once

#include <string>
#include <string_view>

// Standard input, output and error as this program found them, and the output of its commands
// through stdio. A run prints through ui/output_stream instead, which never waits.
namespace orch::ui {

// Opens /dev/null in place of those of the descriptors 0, 1 and 2 that were closed when this
// program was started, before a file of ours could get their number. The first call in main.
void open_closed_streams();

// From here on, output of stdio to stdout and stderr passes a RunnerGuard, and a write to a
// descriptor that another process has made non-blocking waits until it can go on. SIGPIPE and
// SIGXFSZ are ignored: both appear as an error of the write.
void guard_standard_streams();

// Writes a command of ours for the CI system that reads the log to standard error, past the
// RunnerGuard, which would take it apart. Words of an agent may stand in it only as ui/github has
// escaped them.
void tell_runner(std::string_view command);

// Writes stdio's buffer for stdout. Returns the errno of the first write that has failed since the
// last call, or 0.
int take_output_error();

// Whether a write to stdout has failed or its reader is gone: nobody would get further output.
bool output_is_lost();

// The line that reports a write error: "cannot write standard output: No space left on device".
std::string output_error_text(int error);

// The last call of a command that ends with `code`: writes stdio's buffer. If the reader is gone,
// the process ends as any other does, by SIGPIPE and without a message. Any other error is reported
// in one line, and the code is 125.
int finish_standard_output(int code);

}  // namespace orch::ui
