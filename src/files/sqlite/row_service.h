#pragma once

namespace orch::sqlite {

// The descriptors that RowReader gives to its process: the request is its standard input, the
// answer its standard output.
inline constexpr int kDatabaseFd = 3, kLogFd = 4;  // kLogFd may be closed: the database has no log

// The work of a RowReader's process: reads a request, gives up everything that the query does not
// need - files, time, memory, all system calls but a few - runs it, and writes the answer. Returns
// the exit code.
int serve_rows();

}  // namespace orch::sqlite
