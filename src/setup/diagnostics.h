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

// Where base::log()'s lines are wanted.
struct LogRequest {
  std::optional<base::LogLevel> on_stderr;          // absent: not there
  base::LogLevel in_files = base::LogLevel::kInfo;  // in orch.log and in `file`
  std::string file;                                 // one more, for every line; "" for none
};

// From -v (1: info, 2: debug) and $ORCH_LOG: "debug", "info", "warn" or "error" for stderr,
// "file:PATH", or both between commas. An error names the word that is none of these; what is right
// of it holds.
struct ReadLogRequest {
  LogRequest wanted;
  std::optional<base::Error> error;
};
ReadLogRequest read_log_request(int verbose, std::string_view variable);

// The trace that orch leaves of itself: takes base::log()'s lines while it lives. One per process.
//
// Lines of a run go to orch.log in its folder (0600, two older files of a megabyte are kept), lines
// of the whole process to each of these, also if they come shortly before. Files are written by a
// thread of their own, at a warning and at the end to the last byte; of lines that come faster than
// it writes the oldest are dropped. What stderr does not take at once is dropped, too. A file that
// cannot be written changes nothing else.
class Diagnostics {
 public:
  Diagnostics();
  ~Diagnostics();  // everything is written
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  void begin(LogRequest wanted);  // before it, lines go nowhere
  // From now on each run of this state directory has its log. Starts the thread, so nothing may
  // fork and go on in the child afterwards.
  void keep_runs(const std::string& state_dir);
  // No line holds one of these from now on.
  void mask_by(std::shared_ptr<const mask::Secrets> secrets) { secrets_ = std::move(secrets); }
  // The run is over: its file is written and closed.
  void end_run(const std::string& run);
  void write_out();  // all runs are over: their files are written to the last byte
  // Takes whole lines with their ends, in place of stderr, until it is replaced by nullptr; it must
  // not block.
  void write_stderr_by(std::function<void(std::string)> write);

 private:
  enum class Growth : uint8_t { kRotated, kUnbounded };

  void take(const base::LogLine& line);
  void tell_stderr(const base::LogLine& line, const std::string& text);
  spdlog::logger* log_of(std::string_view run);
  std::shared_ptr<spdlog::logger> open(const std::string& path, Growth growth);

  LogRequest wanted_;
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
