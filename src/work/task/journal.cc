#include "task/journal.h"

#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"

namespace orch::task {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonMembers;
using base::JsonWriter;

constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr base::Words<CancelAsked::By, 2> kCancels{
    {{CancelAsked::By::kInterrupt, "interrupt"}, {CancelAsked::By::kTerminate, "terminate"}}};

}  // namespace

static std::string_view name(CancelAsked::By by) { return base::word_of(kCancels, by); }

namespace {

std::optional<CancelAsked::By> cancel_named(std::string_view word) {
  return base::value_of(kCancels, word);
}

constexpr auto kWorkerEndFields = [](auto& in, auto& end) {
  in.required("run", end.run);
  in.required("reason", end.reason);
  in.required("detail", end.detail);
  in.required("code", end.code);
  in.required("duration_ms", end.ms);
  in.required("words", end.words);
  in.object("usage", end.usage, event::kUsageFields);
  in.required("files", end.files);
  in.required("paths", end.paths);
  in.required("commit", end.commit);
  in.required("changes_unknown", end.changes_unknown);
};

constexpr auto kTestEndFields = [](auto& in, auto& end) {
  in.required("run", end.run);
  in.required("code", end.code);
  in.required("timed_out", end.timed_out);
  in.required("duration_ms", end.ms);
  in.required("output", end.output);
  in.nullable("trouble", end.trouble);
};

// The kinds of entries: the word of each, and its fields.
constexpr auto kEachHead = [](const auto& kind) {
  kind(std::type_identity<Opened>(), "task", [](auto& in, auto& opened) {
    in.required("id", opened.id);
    in.required("repo", opened.repo);
  });
  kind(std::type_identity<StepBegun>(), "step", [](auto& in, auto& step) {
    in.required("step", step.step);
    in.required("n", step.n);
  });
};
constexpr auto kEachEvent = [](const auto& kind) {
  kind(std::type_identity<Begun>(), "begun", [](auto& in, auto& begun) {
    in.required("branch", begun.repo.branch);
    in.required("head", begun.repo.head);
    in.required("entries", begun.repo.entries);
  });
  kind(std::type_identity<Answered>(), "answer", [](auto& in, auto& answered) {
    in.required("n", answered.n);
    in.required("text", answered.text);
    in.object("usage", answered.usage, event::kUsageFields);
  });
  kind(std::type_identity<AskFailed>(), "no_answer", [](auto& in, auto& failed) {
    in.required("n", failed.n);
    in.required("error", failed.error);
    in.sparse("limit", failed.limit);
  });
  kind(std::type_identity<Worked>(), "worked", [](auto& in, auto& worked) {
    in.required("n", worked.n);
    in.object("end", worked.end, kWorkerEndFields);
  });
  kind(std::type_identity<Tested>(), "tested", [](auto& in, auto& tested) {
    in.required("n", tested.n);
    in.object("end", tested.end, kTestEndFields);
  });
  kind(std::type_identity<CancelAsked>(), "cancel",
       [](auto& in, auto& cancel) { in.word("by", cancel_named, cancel.by); });
  kind(std::type_identity<Failed>(), "failed",
       [](auto& in, auto& failed) { in.required("error", failed.error); });
  kind(std::type_identity<Resumed>(), "resumed",
       [](auto& in, auto& resumed) { in.object("worker", resumed.worker, kWorkerEndFields); });
};

void write_what(JsonWriter& out, const decltype(JournalEntry::what)& what) {
  base::write_kind(out, "event", kEachHead, what);
  if (const Event* event = std::get_if<Event>(&what)) {
    base::write_kind(out, "event", kEachEvent, *event);
  }
}

void read_what(JsonMembers& in, const std::string& word, JournalEntry& out) {
  using What = decltype(JournalEntry::what);
  if (std::optional<What> head = base::read_kind<What>(in, word, kEachHead)) {
    out.what = *std::move(head);
  } else if (std::optional<Event> event = base::read_kind<Event>(in, word, kEachEvent)) {
    out.what = *std::move(event);
  } else {
    in.fail("event", "\"" + base::printable(word) + "\" is not a known word");
  }
}

std::string step_text(const StepBegun& step) { return step.step + " " + std::to_string(step.n); }

base::Error error_in(std::string_view name, size_t line, const std::string& what) {
  return base::usage_error(std::string(name) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace

std::string to_json(const JournalEntry& entry) {
  Json json{{"v", kJournalVersion}, {"ms", entry.ms}, {"time", entry.time}};
  JsonWriter out(json);
  write_what(out, entry.what);
  return base::json_line(json);
}

base::Result<JournalEntry> parse_entry(std::string_view line) {
  JsonDocument document("", line, base::JsonAuthor::kProgram, {.bytes = kMaxLineBytes, .depth = 8});
  JournalEntry entry;
  {
    JsonMembers members(document);
    int version = 0;
    std::string kind;
    members.required("v", version);
    if (members.ok() && version != kJournalVersion) members.fail("v", "is not 1");
    members.required("ms", entry.ms);
    members.required("time", entry.time);
    members.required("event", kind);
    if (members.ok()) read_what(members, kind, entry);
  }
  return document.finish(std::move(entry));
}

size_t whole_lines(std::string_view text) {
  const size_t last = text.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

base::Result<std::vector<JournalEntry>> read_journal(std::string_view text, std::string_view name) {
  std::vector<JournalEntry> entries;
  size_t number = 0;
  for (const std::string_view line : base::split_lines(text.substr(0, whole_lines(text)))) {
    ++number;
    base::Result<JournalEntry> entry = parse_entry(line);
    if (!entry) return error_in(name, number, entry.error().text);
    if (std::holds_alternative<Opened>(entry->what) != (number == 1)) {
      return error_in(name, number, "the first line, and no other, says whose journal it is");
    }
    if (!entries.empty() && entry->ms < entries.back().ms) {
      return error_in(name, number, "ms: goes backwards");
    }
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

StepBegun begun(const Command& command) {
  if (const Ask* ask = std::get_if<Ask>(&command)) return {std::string(name(ask->kind)), ask->n};
  if (const Work* work = std::get_if<Work>(&command)) return {"worker", work->n};
  if (const RunTests* tests = std::get_if<RunTests>(&command)) return {"test", tests->n};
  return {};
}

base::Result<Replayed> replay(const std::vector<JournalEntry>& entries, std::string_view name,
                              Machine& machine) {
  Replayed replayed;
  for (size_t i = 0; i < entries.size(); ++i) {
    const JournalEntry& entry = entries[i];
    replayed.ms = entry.ms;
    if (const Event* event = std::get_if<Event>(&entry.what)) {
      machine.on(entry.ms, *event);
      const bool asks_on = std::holds_alternative<CancelAsked>(*event);
      if (!asks_on) replayed.step_begun = false;
    } else if (const StepBegun* step = std::get_if<StepBegun>(&entry.what)) {
      const std::optional<Command>& open = machine.open_step();
      if (!open || begun(*open) != *step) {
        return error_in(name, i + 1,
                        "the step " + base::printable(step_text(*step)) +
                            " does not follow from the lines before it");
      }
      replayed.step_begun = true;
    }
  }
  machine.take_commands();
  return replayed;
}

}  // namespace orch::task
