#include "ui/error_line.h"

#include <cstdio>

#include "base/text.h"
#include "event/exit_reason.h"

namespace orch::ui {

int report(const base::Error& error) {
  std::fprintf(stderr, "orch: %s\n", base::printable(error.text).c_str());
  return event::exit_code(error.code);
}

}  // namespace orch::ui
