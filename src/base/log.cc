#include "base/log.h"

#include <utility>

namespace orch::base {
namespace {

LogSink& sink() {
  static LogSink current;
  return current;
}

}  // namespace

void log(const LogLine& line) {
  if (sink()) sink()(line);
}

void set_log_sink(LogSink replacement) { sink() = std::move(replacement); }

}  // namespace orch::base
