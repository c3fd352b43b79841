#include "task/journal.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"

namespace orch::task {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonMembers;

constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr base::Words<CancelAsked::By, 2> kCancels{
    {{CancelAsked::By::kInterrupt, "interrupt"}, {CancelAsked::By::kTerminate, "terminate"}}};

std::optional<CancelAsked::By> cancel_named(std::string_view word) {
  return base::value_of(kCancels, word);
}

Json usage_json(const event::Usage& usage) {
  Json json{{"in", usage.in}, {"out", usage.out}, {"cached", usage.cached}};
  if (usage.cost_usd) json["cost_usd"] = *usage.cost_usd;
  return json;
}

Json end_json(const WorkerEnd& end) {
  return {{"run", end.run},
          {"reason", end.reason},
          {"detail", end.detail},
          {"code", end.code},
          {"duration_ms", end.ms},
          {"words", end.words},
          {"usage", usage_json(end.usage)},
          {"files", end.files},
          {"paths", end.paths},
          {"commit", end.commit},
          {"changes_unknown", end.changes_unknown}};
}

Json end_json(const TestEnd& end) {
  return {{"run", end.run},        {"code", end.code},     {"timed_out", end.timed_out},
          {"duration_ms", end.ms}, {"output", end.output}, {"trouble", base::or_null(end.trouble)}};
}

// Each kind of entry by its word, and what it holds.
void write(const Opened& opened, Json& json) {
  json["event"] = "task";
  json["id"] = opened.id;
  json["repo"] = opened.repo;
}
void write(const StepBegun& step, Json& json) {
  json["event"] = "step";
  json["step"] = step.step;
  json["n"] = step.n;
}
void write(const Begun& begun, Json& json) {
  json["event"] = "begun";
  json["branch"] = begun.repo.branch;
  json["head"] = begun.repo.head;
  json["entries"] = begun.repo.entries;
}
void write(const Answered& answered, Json& json) {
  json["event"] = "answer";
  json["n"] = answered.n;
  json["text"] = answered.text;
  json["usage"] = usage_json(answered.usage);
}
void write(const AskFailed& failed, Json& json) {
  json["event"] = "no_answer";
  json["n"] = failed.n;
  json["error"] = failed.error;
  if (failed.limit) json["limit"] = true;
}
void write(const Worked& worked, Json& json) {
  json["event"] = "worked";
  json["n"] = worked.n;
  json["end"] = end_json(worked.end);
}
void write(const Tested& tested, Json& json) {
  json["event"] = "tested";
  json["n"] = tested.n;
  json["end"] = end_json(tested.end);
}
void write(const CancelAsked& cancel, Json& json) {
  json["event"] = "cancel";
  json["by"] = base::word_of(kCancels, cancel.by);
}
void write(const Failed& failed, Json& json) {
  json["event"] = "failed";
  json["error"] = failed.error;
}
void write(const Resumed& resumed, Json& json) {
  json["event"] = "resumed";
  if (resumed.worker) json["worker"] = end_json(*resumed.worker);
}
void write(const Event& event, Json& json) {
  std::visit([&json](const auto& each) { write(each, json); }, event);
}

void read_number(JsonMembers& members, const std::string& key, std::optional<double>& out) {
  const Json* value = members.find(key);
  if (value == nullptr) return;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    return members.fail(key, "must be a number");
  }
  out = value->get<double>();
}

const Json* object_in(JsonMembers& members, const std::string& key) {
  const Json* value = members.find(key);
  if (value == nullptr || value->is_object()) return value;
  members.fail(key, "must be an object");
  return nullptr;
}

void read_usage(JsonMembers& parent, event::Usage& out) {
  const Json* object = object_in(parent, "usage");
  if (object == nullptr) return;
  JsonMembers members(parent, *object, "usage");
  members.optional("in", out.in);
  members.optional("out", out.out);
  members.optional("cached", out.cached);
  read_number(members, "cost_usd", out.cost_usd);
}

WorkerEnd read_worker_end(JsonMembers& parent, const std::string& key) {
  WorkerEnd end;
  const Json* object = object_in(parent, key);
  if (object == nullptr) return end;
  JsonMembers members(parent, *object, key);
  members.required("run", end.run);
  members.required("reason", end.reason);
  members.required("detail", end.detail);
  members.required("code", end.code);
  members.required("duration_ms", end.ms);
  members.required("words", end.words);
  read_usage(members, end.usage);
  members.required("files", end.files);
  members.required("paths", end.paths);
  members.required("commit", end.commit);
  members.required("changes_unknown", end.changes_unknown);
  return end;
}

TestEnd read_test_end(JsonMembers& parent) {
  TestEnd end;
  const Json* object = object_in(parent, "end");
  if (object == nullptr) return end;
  JsonMembers members(parent, *object, "end");
  members.required("run", end.run);
  members.required("code", end.code);
  members.required("timed_out", end.timed_out);
  members.required("duration_ms", end.ms);
  members.required("output", end.output);
  members.optional("trouble", end.trouble);
  return end;
}

Begun read_begun(JsonMembers& members) {
  Begun begun;
  members.required("branch", begun.repo.branch);
  members.required("head", begun.repo.head);
  members.required("entries", begun.repo.entries);
  return begun;
}

Answered read_answered(JsonMembers& members) {
  Answered answered;
  members.required("n", answered.n);
  members.required("text", answered.text);
  read_usage(members, answered.usage);
  return answered;
}

int read_n(JsonMembers& members) {
  int n = 0;
  members.required("n", n);
  return n;
}

std::string read_error(JsonMembers& members) {
  std::string error;
  members.required("error", error);
  return error;
}

CancelAsked read_cancel(JsonMembers& members) {
  CancelAsked cancel;
  members.word("by", cancel_named, cancel.by);
  return cancel;
}

Resumed read_resumed(JsonMembers& members) {
  Resumed resumed;
  if (members.has("worker")) resumed.worker = read_worker_end(members, "worker");
  return resumed;
}

void read_what(JsonMembers& members, const std::string& kind, JournalEntry& out) {
  if (kind == "task") {
    Opened opened;
    members.required("id", opened.id);
    members.required("repo", opened.repo);
    out.what = opened;
  } else if (kind == "step") {
    StepBegun step;
    members.required("step", step.step);
    step.n = read_n(members);
    out.what = step;
  } else if (kind == "begun") {
    out.what = Event(read_begun(members));
  } else if (kind == "answer") {
    out.what = Event(read_answered(members));
  } else if (kind == "no_answer") {
    AskFailed failed{read_n(members), read_error(members)};
    members.optional("limit", failed.limit);
    out.what = Event(std::move(failed));
  } else if (kind == "worked") {
    out.what = Event(Worked{read_n(members), read_worker_end(members, "end")});
  } else if (kind == "tested") {
    out.what = Event(Tested{read_n(members), read_test_end(members)});
  } else if (kind == "cancel") {
    out.what = Event(read_cancel(members));
  } else if (kind == "failed") {
    out.what = Event(Failed{read_error(members)});
  } else if (kind == "resumed") {
    out.what = Event(read_resumed(members));
  } else {
    members.fail("event", "\"" + base::printable(kind) + "\" is no known word");
  }
}

std::string step_text(const StepBegun& step) { return step.step + " " + std::to_string(step.n); }

base::Error error_in(std::string_view name, size_t line, const std::string& what) {
  return base::usage_error(std::string(name) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace

std::string to_json(const JournalEntry& entry) {
  Json json{{"v", kJournalVersion}, {"ms", entry.ms}, {"time", entry.time}};
  std::visit([&json](const auto& what) { write(what, json); }, entry.what);
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
