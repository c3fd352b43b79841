#include "sqlite/read_rows.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>

#include "sqlite/library.h"
#include "sqlite/open_files.h"
#include "sqlite/row_reader.h"

namespace orch::sqlite {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using Rows = std::vector<std::string>;
using Values = std::vector<std::pair<std::string, std::string>>;

constexpr int kAttempts = 3;
// The limit of SQLite's machine steps for a query, about 0.2 s.
constexpr int kStepsAtOnce = 10'000, kMostSteps = 5'000'000;
constexpr int kLongest = 4 << 20;  // bytes of one value, wherever in the database

// Signs that a database was written: the time and size of its file, and the beginning of its log,
// which changes when the log begins anew. A log that has grown in between does not matter.
struct State {
  timespec when{};
  off_t size = 0;
  std::array<char, 32> log{};

  friend bool operator==(const State& a, const State& b) {
    return a.when.tv_sec == b.when.tv_sec && a.when.tv_nsec == b.when.tv_nsec && a.size == b.size &&
           a.log == b.log;
  }
};

State state_of(const base::Fd& database, const base::Fd& log) {
  State state;
  struct stat info {};
  if (::fstat(database.get(), &info) == 0) {
    state.when = info.st_mtim;
    state.size = info.st_size;
  }
  if (log.valid() && ::pread(log.get(), state.log.data(), state.log.size(), 0) < 0) state.log = {};
  return state;
}

// One connection to the database.
class Connection {
 public:
  Connection(const Library& library, const base::Fd& database, const base::Fd& log)
      : library_(library), files_(library, database, log) {}
  ~Connection() { library_.close_v2(database_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The schema is the writer's: no view, trigger or function in it may do anything here.
  bool open() {
    if (library_.open_v2("database", &database_, SQLITE_OPEN_READONLY, files_.name()) !=
        SQLITE_OK) {
      return false;
    }
    for (const int feature : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
      library_.db_config(database_, feature, 0, nullptr);
    }
    // An index whose function is refused is left out, instead of the whole schema: SQLite 3.40
    // mistrusts even json_extract(). Nothing is written: that is refused below.
    if (!run("PRAGMA writable_schema=ON")) return false;
    for (const int safety : {SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE}) {
      library_.db_config(database_, safety, 1, nullptr);
    }
    library_.limit(database_, SQLITE_LIMIT_LENGTH, kLongest);
    library_.progress_handler(database_, kStepsAtOnce, count_steps, this);
    // In this mode SQLite shares no memory with the writer. It still locks nothing, because
    // OpenFiles has no locks.
    return run(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; "
        "PRAGMA cell_size_check=ON; PRAGMA hard_heap_limit=268435456");
  }

  Result<Rows> rows(const std::string& query, const Values& values, size_t most_bytes) {
    sqlite3_stmt* prepared = nullptr;
    library_.prepare_v2(database_, query.c_str(), static_cast<int>(query.size()), &prepared,
                        nullptr);
    const std::unique_ptr<sqlite3_stmt, decltype(library_.finalize)> statement(prepared,
                                                                               library_.finalize);
    if (statement == nullptr) return error();
    for (const auto& [name, value] : values) {
      const int index = library_.bind_parameter_index(statement.get(), name.c_str());
      if (index == 0) continue;
      library_.bind_text(statement.get(), index, value.data(), static_cast<int>(value.size()),
                         SQLITE_TRANSIENT);
    }
    Rows rows;
    size_t bytes = 0;
    int step = SQLITE_DONE;
    while ((step = library_.step(statement.get())) == SQLITE_ROW) {
      const unsigned char* text = library_.column_text(statement.get(), 0);
      const auto length = static_cast<size_t>(library_.column_bytes(statement.get(), 0));
      if (text == nullptr) continue;
      if (bytes + length > most_bytes || rows.size() == kMostRows) return rows;
      bytes += length;
      rows.emplace_back(reinterpret_cast<const char*>(text), length);
    }
    if (step != SQLITE_DONE) return error();
    return rows;
  }

  Error error() const {
    return {ErrorCode::kSystem, std::string("SQLite: ") + library_.errmsg(database_)};
  }

 private:
  static int count_steps(void* connection) noexcept {
    auto& self = *static_cast<Connection*>(connection);
    self.steps_ += kStepsAtOnce;
    return self.steps_ > kMostSteps ? 1 : 0;
  }
  bool run(const char* statements) {
    return library_.exec(database_, statements, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  const Library& library_;
  OpenFiles files_;
  sqlite3* database_ = nullptr;
  int steps_ = 0;
};

}  // namespace

Result<Rows> read_rows(const base::Fd& database, const base::Fd& log, const std::string& query,
                       const Values& values, size_t most_bytes) {
  const Result<const Library*> library = load_library();
  if (!library) return library.error();
  // Pages of the file may be newer than those of the log if the writer moves them during the read,
  // so the result counts only if the file was not written.
  std::optional<Error> failed;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const State before = state_of(database, log);
    Connection connection(**library, database, log);
    Result<Rows> rows = connection.open() ? connection.rows(query, values, most_bytes)
                                          : Result<Rows>(connection.error());
    if (state_of(database, log) == before) return rows;
    failed = Error{ErrorCode::kSystem, "SQLite: the database was written while it was read"};
  }
  return *failed;
}

}  // namespace orch::sqlite
