#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace orch::base {

// The log of orch's own actions, for people who look for the reason of a failure; it is not part of
// any output. `component` is the part of orch that writes ("cgroup", "fence", "socket"); `run` is
// the id of the run that a line is about, "" if it is about the whole process.
//
// Modules that act call log(); pure ones report to their callers instead. One place decides where
// lines go, at the start of the process (setup/diagnostics.h): before that, and in tests that do
// not ask for them, they are dropped. Only for the main thread.
enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };

struct LogLine {
  LogLevel level = LogLevel::kInfo;
  std::string_view component;
  std::string_view text;  // one line; the sink makes bytes from outside printable
  std::string_view run;
};

void log(const LogLine& line);

inline void log_debug(std::string_view component, std::string_view text,
                      std::string_view run = {}) {
  log({LogLevel::kDebug, component, text, run});
}
inline void log_info(std::string_view component, std::string_view text, std::string_view run = {}) {
  log({LogLevel::kInfo, component, text, run});
}
inline void log_warn(std::string_view component, std::string_view text, std::string_view run = {}) {
  log({LogLevel::kWarn, component, text, run});
}
inline void log_error(std::string_view component, std::string_view text,
                      std::string_view run = {}) {
  log({LogLevel::kError, component, text, run});
}

// Sets the destination of lines; an empty function drops them. The sink must not block.
using LogSink = std::function<void(const LogLine&)>;
void set_log_sink(LogSink sink);

}  // namespace orch::base
