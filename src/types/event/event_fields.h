#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include "event/event.h"

// The fields of events; see base/json_writer.h.
namespace orch::event {

std::optional<MessagePhase> phase_named(std::string_view name);
std::optional<ToolPhase> tool_phase_named(std::string_view name);
std::optional<Speaker> speaker_named(std::string_view name);  // records of older versions have none

// Every kind of event: the word that names it in a record, and its fields.
inline constexpr auto kEachKind = [](const auto& kind) {
  kind(std::type_identity<SessionStart>(), "session", [](auto& in, auto& e) {
    int version = kRecordVersion;
    in.optional("v", version);
    in.sparse("session", e.session);
    in.sparse("run", e.run);
    in.sparse("issue", e.issue);
    in.sparse("agent", e.agent);
    in.sparse("started", e.started);
  });
  kind(std::type_identity<StatusChange>(), "status", [](auto& in, auto& e) {
    in.word("status", status_named, e.status);
    in.word("cause", cause_named, e.cause);
    in.word("from", status_named, e.from);
    in.nullable("rule", e.rule);
    in.nullable("row", e.row);
    in.optional("samples", e.samples);
    in.optional("lag_ms", e.lag_ms);
    in.sparse("guessed", e.guessed);
  });
  kind(std::type_identity<Output>(), "output", [](auto& in, auto& e) {
    in.word("speaker", speaker_named, e.speaker);
    in.sparse("continues", e.continues);
    in.sparse("gap", e.gap);
    in.required("text", e.text);  // written last; most output records have no other field
  });
  kind(std::type_identity<Message>(), "message", [](auto& in, auto& e) {
    in.required("id", e.id);
    in.word("phase", phase_named, e.phase);
    in.nullable("reason", e.reason);
    if (e.phase == MessagePhase::kAccepted) in.optional("enters", e.enters);
    in.sparse("from", e.from);
  });
  kind(std::type_identity<Dialog>(), "dialog", [](auto& in, auto& e) {
    in.word("cause", cause_named, e.cause);
    in.optional("title", e.title);
    in.optional("body", e.body);
    in.optional("options", e.options);
    in.nullable("answer", e.answer);
    in.nullable("by", e.by);
    in.nullable("tool", e.tool);
    in.nullable("command", e.command);
    in.optional("paths", e.paths);
    in.optional("complete", e.complete);
  });
  kind(std::type_identity<Tool>(), "tool", [](auto& in, auto& e) {
    in.word("phase", tool_phase_named, e.phase);
    const bool ended = e.phase == ToolPhase::kEnded;
    in.sparse("id", e.id);
    in.optional("name", e.name);
    in.sparse("decided", e.decided);
    in.sparse("by", e.by);
    if (e.phase == ToolPhase::kDecided) in.optional("decided_ms", e.decided_ms);
    if (!ended) in.optional("input", e.input);
    if (ended) in.optional("failed", e.failed);
    if (ended) in.optional("text", e.text);
  });
  kind(std::type_identity<Usage>(), "usage", kUsageFields);
  kind(std::type_identity<Turn>(), "turn", [](auto& in, auto& e) {
    in.required("n", e.n);
    in.either("phase", "began", "ended", e.ended);
  });
  kind(std::type_identity<Gate>(), "gate", [](auto& in, auto& e) {
    in.required("n", e.n);
    in.either("phase", "began", "ended", e.ended);
    in.required("command", e.command);
    if (!e.ended) return;
    in.optional("code", e.code);
    in.optional("duration_ms", e.ms);
    in.optional("timed_out", e.timed_out);
    in.optional("output", e.output);
  });
  kind(std::type_identity<Exit>(), "exit", [](auto& in, auto& e) {
    in.required("code", e.code);
    in.word("reason", exit_reason_named, e.reason);
  });
};

}  // namespace orch::event
