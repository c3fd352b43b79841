#pragma once

#include <cstdint>
#include <string>

#include "event/event.h"
#include "run/machine.h"
#include "wire/status_report.h"

namespace orch::host {

// As others are told of it: printable, and cut to a size that a report can carry.
wire::DialogReport report_of(const run::WaitingDialog& dialog);

// The last line that the agent said, of all that is told of a session.
class LastWords {
 public:
  void hear(const event::Output& line, int64_t ms);
  const std::string& text() const { return text_; }  // printable; "" when nothing was said
  int64_t said_ms() const { return said_ms_; }

 private:
  std::string text_;
  int64_t said_ms_ = 0;
};

}  // namespace orch::host
