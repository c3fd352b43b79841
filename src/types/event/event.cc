#include "event/event.h"

#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "event/event_fields.h"

namespace orch::event {
namespace {

using base::Json;
using base::JsonMembers;

constexpr base::Words<MessagePhase, 4> kPhases{{
    {MessagePhase::kQueued, "queued"},
    {MessagePhase::kSent, "sent"},
    {MessagePhase::kAccepted, "accepted"},
    {MessagePhase::kFailed, "failed"},
}};

constexpr base::Words<ToolPhase, 3> kToolPhases{{
    {ToolPhase::kDecided, "decided"},
    {ToolPhase::kBegan, "began"},
    {ToolPhase::kEnded, "ended"},
}};

}  // namespace

std::string_view name(ToolPhase phase) { return base::word_of(kToolPhases, phase); }

std::optional<ToolPhase> tool_phase_named(std::string_view name) {
  return base::value_of(kToolPhases, name);
}

std::string_view name(MessagePhase phase) { return base::word_of(kPhases, phase); }

std::optional<MessagePhase> phase_named(std::string_view name) {
  return base::value_of(kPhases, name);
}

std::optional<Speaker> speaker_named(std::string_view name) {
  return name.empty() ? Output().speaker : base::value_of(kSpeakers, name);
}

std::string to_json(int64_t ms, const Event& event) {
  Json record;
  base::JsonWriter out(record);
  out.required("ms", ms);
  base::write_kind(out, "event", kEachKind, event);
  return base::json_line(record);
}

std::optional<std::string> to_text(const Output& line) {
  if (line.gap) return "[lines are missing here: they scrolled away before they could be seen]";
  switch (line.speaker) {
    case Speaker::kAgent:
    case Speaker::kTool:
      return base::printable(line.text);
    case Speaker::kUser:
      return line.text.empty() ? "" : "❯ " + base::printable(line.text);
    case Speaker::kNotice:
    case Speaker::kChrome:
      break;
  }
  return std::nullopt;
}

std::optional<Record> parse_record(std::string_view line) {
  base::JsonDocument document("", line);
  JsonMembers in(document);
  int64_t ms = 0;
  std::string kind;
  in.required("ms", ms);
  in.required("event", kind);
  std::optional<Event> event = base::read_kind<Event>(in, kind, kEachKind);
  if (!event || !document.ok()) return std::nullopt;
  return Record{ms, *std::move(event)};
}

std::string with_session(std::string_view record, std::string_view session) {
  std::string whole = "{\"session\":" + base::json_line(Json(session)) + ",";
  return whole.append(record.substr(1));
}

}  // namespace orch::event
