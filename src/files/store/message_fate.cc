#include "store/message_fate.h"

#include <limits>
#include <optional>
#include <string_view>
#include <variant>

#include "event/event.h"
#include "store/last_lines.h"
#include "store/state_file.h"

namespace orch::store {

Presence was_accepted(const std::string& state_dir, const std::string& message) {
  const size_t slash = message.find('/');
  const std::string run = message.substr(0, slash);
  if (slash == std::string::npos || run.empty() || run.front() == '.') return Presence::absent();
  const std::string_view id = std::string_view(message).substr(slash + 1);
  bool accepted = false;
  const auto look = [&](std::string_view line) {
    if (line.find(R"("event":"message")") == std::string_view::npos) return true;
    const std::optional<event::Record> record = event::parse_record(line);
    const auto* told = record ? std::get_if<event::Message>(&record->event) : nullptr;
    if (told == nullptr || told->id != id) return true;
    accepted = told->phase == event::MessagePhase::kAccepted;
    return false;  // this is the message's last event
  };
  const std::string events = state_dir + "/runs/" + run + "/events.jsonl";
  if (is_absent(events)) return Presence::absent();
  const auto read = each_line_from_end(events, 0, std::numeric_limits<uint64_t>::max(), look);
  if (!read) return read.error();
  return accepted ? Presence(base::Ok{}) : Presence::absent();
}

}  // namespace orch::store
