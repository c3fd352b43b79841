#pragma once

#include <cstdint>
#include <string>

#include "event/event.h"
#include "run/machine.h"
#include "wire/status_report.h"

namespace orch::host {

// The dialog for a report: printable, and cut to a size that fits.
wire::DialogReport report_of(const run::WaitingDialog& dialog);

// Remembers the last line that the agent has said.
class LastWords {
 public:
  void hear(const event::Output& line, int64_t ms);
  const std::string& text() const { return text_; }  // printable; "" if nothing was said
  int64_t said_ms() const { return said_ms_; }

 private:
  std::string text_;
  int64_t said_ms_ = 0;
};

}  // namespace orch::host
