#include "report/records.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/json.h"
#include "base/text.h"

namespace orch::report {
namespace {

using base::Json;

// If a record of these kinds cannot be read as an event, it is damaged, and is skipped.
constexpr std::array<std::string_view, 7> kEvents{"session", "status", "output", "message",
                                                  "dialog",  "turn",   "exit"};
constexpr size_t kMaxMembers = 24;
constexpr int kMaxDepth = 3;

void append_members(const Json& object, const std::string& path, int depth, OtherRecord& out) {
  for (const auto& [key, value] : object.items()) {
    if (path.empty() && (key == "ms" || key == "event" || key == "session")) continue;
    if (out.members.size() == kMaxMembers) return;
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object() && depth < kMaxDepth) {
      append_members(value, name, depth + 1, out);
    } else if (value.is_string()) {
      out.members.emplace_back(name, value.get<std::string>());
    } else if (value.is_number() || value.is_boolean()) {
      out.members.emplace_back(name, value.dump());
    }
  }
}

std::optional<OtherRecord> parse_other(std::string_view line) {
  const Json record = base::parse_json(line);
  if (!record.is_object()) return std::nullopt;
  const auto ms = record.find("ms");
  const auto kind = record.find("event");
  if (ms == record.end() || !ms->is_number_unsigned() || kind == record.end() ||
      !kind->is_string()) {
    return std::nullopt;
  }
  OtherRecord other{ms->get<int64_t>(), kind->get<std::string>(), {}};
  if (std::ranges::find(kEvents, other.kind) != kEvents.end()) return std::nullopt;
  append_members(record, "", 0, other);
  return other;
}

}  // namespace

Records read_records(std::string_view lines) {
  Records records;
  for (const std::string_view line : base::split_lines(lines)) {
    if (std::optional<event::Record> event = event::parse_record(line)) {
      records.events.push_back(*std::move(event));
    } else if (std::optional<OtherRecord> other = parse_other(line)) {
      records.others.push_back(*std::move(other));
    }
  }
  return records;
}

}  // namespace orch::report
