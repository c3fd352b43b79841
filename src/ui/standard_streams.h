#pragma once

#include <string>
#include <string_view>

// Standard input, output and error as this program found them, and what its commands print there
// through stdio. A run prints through ui/output_stream instead, which never waits.
namespace orch::ui {

// Whoever started this program with 0, 1 or 2 closed wants nothing of them: /dev/null takes their
// place, before a file of ours could. The first thing in main.
void open_closed_streams();

// From here on what stdio writes to stdout and stderr passes a RunnerGuard, and a descriptor that
// somebody else has made non-blocking is waited for. SIGPIPE and SIGXFSZ are ignored: both are an
// error of the write.
void guard_standard_streams();

// A command of ours for the CI system that reads the log, on standard error: a line that no
// RunnerGuard takes apart. Nothing of an agent's may stand in it but what ui/github has escaped.
void tell_runner(std::string_view command);

// Writes what stdio holds for stdout. The errno of the first write that has failed since the last
// call, else 0.
int take_output_error();

// Whether a write to stdout has failed, or its reader is gone: nobody gets what else is printed.
bool output_is_lost();

// The line that tells of such an error: "cannot write standard output: No space left on device".
std::string output_error_text(int error);

// The last thing of a command that ends with `code`: writes what stdio holds. Without a reader the
// process ends as any other does, by SIGPIPE and without a word; another error is told in one line
// and the code is 125.
int finish_standard_output(int code);

}  // namespace orch::ui
