#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::sqlite {

// Runs a query on an SQLite database that another program may be writing at this moment, and
// returns the text of the first column of its rows, in their order. Later rows are left out when
// all rows together would have more than `most_bytes`, or would be more than kMostRows.
//
// `log` is the database's write-ahead log (NAME-wal), an invalid descriptor if it has none.
// `values` are the query's parameters, such as {":cwd", "/home/me"}; parameters that the query does
// not have are ignored. It only reads the files: it takes no lock, so the writer never waits, and
// it does not trust their content. One step of SQLite's may still take any time (a LIKE over a long
// text), so this is called where that holds up nobody: in a RowReader's process.
//
// Errors: libsqlite3 is not installed, the query or the database is invalid, it takes too long, or
// the database was written during each of three attempts.
base::Result<std::vector<std::string>> read_rows(
    const base::Fd& database, const base::Fd& log, const std::string& query,
    const std::vector<std::pair<std::string, std::string>>& values, size_t most_bytes);

}  // namespace orch::sqlite
