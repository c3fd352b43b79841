#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/log.h"
#include "base/result.h"
#include "mask/secrets.h"

namespace spdlog {  // NOLINT(readability-identifier-naming): spdlog's own name
class logger;
namespace details {
class thread_pool;  // NOLINT(readability-identifier-naming)
}
}  // namespace spdlog

namespace orch::setup {

// The destinations of base::log()'s lines.
struct LogRequest {
  std::optional<base::LogLevel> on_stderr;          // absent: not on stderr
  base::LogLevel in_files = base::LogLevel::kInfo;  // in orch.log and in `file`
  std::string file;                                 // one more, for every line; "" for none
};

// From -v (1: info, 2: debug) and $ORCH_LOG: "debug", "info", "warn" or "error" for stderr,
// "file:PATH", or both with a comma between them. An error names the first unknown word; the valid
// ones still apply.
struct ReadLogRequest {
  LogRequest wanted;
  std::optional<base::Error> error;
};
ReadLogRequest read_log_request(int verbose, std::string_view variable);

// Writes the lines of base::log() to stderr and to files while it exists. One per process.
//
// Lines about a run go to orch.log in its folder (mode 0600; two older files of a megabyte are
// kept). Lines about the whole process go to the file of each run, also if they came shortly before
// it. A thread of its own writes the files, completely at a warning and at the end; if lines come
// faster than it writes, the oldest are dropped. Lines that stderr does not take at once are
// dropped, too. A file that cannot be written has no other effect.
class Diagnostics {
 public:
  Diagnostics();
  ~Diagnostics();  // writes everything
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  // Before this call, lines are dropped. An error if the file may not be written (store/output.h);
  // then lines go everywhere else.
  base::Status begin(LogRequest wanted);
  // From now on each run of this state directory has its log. Starts the thread, so nothing may
  // fork and go on in the child afterwards.
  void keep_runs(const std::string& state_dir);
  // From now on, these secrets are masked in every line.
  void mask_by(std::shared_ptr<const mask::Secrets> secrets) { secrets_ = std::move(secrets); }
  // The run has ended: writes and closes its file.
  void end_run(const std::string& run);
  void write_out();  // all runs have ended: writes and closes their files
  // Sets a function that gets complete lines in place of stderr, until it is called again with
  // nullptr. The function must not block.
  void write_stderr_by(std::function<void(std::string)> write);

 private:
  enum class Growth : uint8_t { kRotated, kUnbounded };

  base::Status open_named();
  void take(const base::LogLine& line);
  void tell_stderr(const base::LogLine& line, const std::string& text);
  spdlog::logger* log_of(std::string_view run);
  std::shared_ptr<spdlog::logger> open(const std::string& path, Growth growth);

  LogRequest wanted_;
  base::Fd named_;                                // the file of ORCH_LOG; empty if there is none
  std::shared_ptr<const mask::Secrets> secrets_;  // nullptr: not known yet
  std::string runs_;  // the folder of the runs' folders; "" when none are kept
  std::function<void(std::string)> write_stderr_;
  std::shared_ptr<spdlog::details::thread_pool> writer_;
  std::shared_ptr<spdlog::logger> file_;
  std::map<std::string, std::shared_ptr<spdlog::logger>, std::less<>> of_runs_;
  struct Kept {
    std::chrono::system_clock::time_point at;
    base::LogLevel level;
    std::string text;
  };
  std::deque<Kept> of_all_;  // lines of the whole process, for runs that begin later
};

}  // namespace orch::setup
