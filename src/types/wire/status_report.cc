#include "wire/status_report.h"

#include <algorithm>

#include "agent/dialog_request.h"

namespace orch::wire {

bool DialogReport::is_set() const {
  return std::any_of(options.begin(), options.end(),
                     [](const Option& option) { return option.ticked.has_value(); });
}

std::string label(const DialogReport::Option& option) {
  return std::to_string(option.number) + ". " +
         agent::label(
             {.text = option.text, .description = option.description, .ticked = option.ticked});
}

}  // namespace orch::wire
