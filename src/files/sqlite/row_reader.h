#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::sqlite {

// How long a query may take, including its process's start. The caller waits that long.
inline constexpr int kQueryMs = 1'000;
// The most rows that are returned; each may add some bytes to an answer.
inline constexpr size_t kMostRows = 10'000;

// Runs queries on databases that others write, each in a process of its own: a query that never
// ends (a schema may hold one) or takes all memory ends with that process. The process can only
// read the database and its log (row_service.h).
class RowReader {
 public:
  // `program`: this orch, as a path.
  explicit RowReader(std::string program) : program_(std::move(program)) {}

  // Does the same as read_rows() (read_rows.h), within kQueryMs. After a query that took longer
  // every later call fails at once: a database that holds up its reader once will hold it up again.
  base::Result<std::vector<std::string>> read(
      const base::Fd& database, const base::Fd& log, const std::string& query,
      const std::vector<std::pair<std::string, std::string>>& values, size_t most_bytes);

 private:
  std::string program_;
  bool too_slow_ = false;
};

}  // namespace orch::sqlite
