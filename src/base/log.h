#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace orch::base {

// What orch does of itself, for whoever looks for the reason when something went wrong: not a part
// of any output. `component` says which part of orch speaks ("cgroup", "fence", "socket"); `run`
// is the id of the run that a line is about, "" for what concerns the whole process.
//
// Modules that act call log(); pure ones tell what happened to their callers instead. Where lines
// go is decided in one place, at the start of the process (cli/diagnostics): until then, and in
// tests that do not ask, they go nowhere. From the main thread only.
enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };

struct LogLine {
  LogLevel level = LogLevel::kInfo;
  std::string_view component;
  std::string_view text;  // one line; bytes from outside are made printable by the sink
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

// Replaces where lines go; an empty function: nowhere. The sink must not block.
using LogSink = std::function<void(const LogLine&)>;
void set_log_sink(LogSink sink);

}  // namespace orch::base
