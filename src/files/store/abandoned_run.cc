#include "store/abandoned_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "event/event.h"
#include "store/atomic_file.h"
#include "store/event_log.h"
#include "store/last_lines.h"
#include "store/run_dir.h"
#include "store/runs.h"
#include "store/state_file.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

const event::Exit kHostDied{event::exit_code(event::ExitReason::kInternal),
                            event::ExitReason::kInternal};

// The facts about a run in events.jsonl, of any version.
struct Story {
  uint64_t whole_bytes = 0;  // up to the last line feed, and with it
  int64_t ms = 0;            // of the last event
  // The last one before the agent exited.
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int turns = 0;
  int messages_sent = 0;
  std::vector<GateRun> gates;
  std::optional<event::Usage> usage;
  std::optional<event::Exit> end;
};

void take_event(const event::Record& record, Story& story) {
  story.ms = std::max(story.ms, record.ms);
  if (const auto* change = std::get_if<event::StatusChange>(&record.event)) {
    if (change->status == event::AgentStatus::kExited) return;
    story.status = change->status;
    story.cause = change->cause;
  } else if (const auto* turn = std::get_if<event::Turn>(&record.event)) {
    story.turns = turn->n;
  } else if (const auto* message = std::get_if<event::Message>(&record.event)) {
    if (message->phase == event::MessagePhase::kSent) ++story.messages_sent;
  } else if (const auto* gate = std::get_if<event::Gate>(&record.event)) {
    if (!gate->ended) return;
    const bool passed = gate->code == 0 && !gate->timed_out;
    story.gates.push_back({.n = gate->n,
                           .command = gate->command,
                           .code = gate->code,
                           .duration_ms = gate->ms,
                           .timed_out = gate->timed_out,
                           .output = passed ? "" : gate->output});
  } else if (const auto* usage = std::get_if<event::Usage>(&record.event)) {
    if (!story.usage) story.usage.emplace();
    event::add(*story.usage, *usage);
  } else if (const auto* exit = std::get_if<event::Exit>(&record.event)) {
    story.end = *exit;
  }
}

// A run whose host died early has no events. A file that cannot be read to its end is an error,
// because the exit goes there.
base::Result<Story> read_story(const std::string& path) {
  Story story;
  if (is_absent(path)) return story;
  const auto take = [&story](std::string_view line, uint64_t next) {
    story.whole_bytes = next;
    if (const auto record = event::parse_record(line)) take_event(*record, story);
    return true;
  };
  const base::Result<size_t> too_long =
      each_line(path, 0, std::numeric_limits<uint64_t>::max(), take);
  if (!too_long) return too_long.error();
  if (*too_long == 0) return story;
  return base::usage_error("read " + path + ": a line is longer than any of orch's");
}

// Whether the name is that of a temporary file of write_file().
bool is_unfinished(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot != std::string::npos && name.size() - dot == sizeof ".XXXXXX" - 1 &&
         name.find('.') != dot;
}

void remove_remnants(const std::string& folder) {
  remove_servers(folder);
  const base::Result<std::vector<std::string>> names = names_in_folder(folder);
  if (!names) return;  // they stay
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    struct stat info {};
    const bool pipe = ::lstat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
    if (pipe || is_unfinished(name)) ::unlink(path.c_str());
  }
}

RunResult result_from(const RunRecord& record, const Story& story, const std::string& recording,
                      TimePoint now) {
  RunResult result;
  result.run = record.id;
  result.session = record.session;
  result.issue = record.issue;
  result.agent = record.agent;
  const event::Exit end = story.end.value_or(kHostDied);
  result.reason = end.reason;
  result.code = end.code;
  if (end.reason == event::ExitReason::kAgentSignal) {
    result.agent_signal = end.code - event::exit_code(end.reason);
  }
  result.status_at_end = story.status;
  result.cause = story.cause;
  if (!story.end) result.detail = "orch died; its guardian ended the agent";
  result.turns = story.turns;
  result.messages_sent = story.messages_sent;
  result.gates = story.gates;
  result.usage = story.usage;
  result.started = record.started;
  result.ended = rfc3339_utc(now);
  result.duration_ms = story.ms;
  if (const auto started = parse_rfc3339_utc(record.started)) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - *started);
    // The clock may have been set back.
    result.duration_ms = std::max<int64_t>(story.ms, age.count());
  }
  if (!is_absent(recording)) result.recording = recording;
  return result;
}

// Appends the exit after the last complete line; a line that the host was writing when it died is
// cut off.
base::Status append_exit(const std::string& path, const Story& story, const RunRecord& record,
                         const RunResult& result) {
  const auto whole = static_cast<off_t>(story.whole_bytes);
  if (::truncate(path.c_str(), whole) != 0 && errno != ENOENT) {
    return base::system_error("cut " + path, errno);
  }
  base::Result<EventLog> log = EventLog::open(path);
  if (!log) return log.error();
  if (story.whole_bytes == 0) {
    if (base::Status s = log->add(event::to_json(0, head_of(record))); !s) return s;
  }
  return log->append(event::to_json(result.duration_ms, event::Exit{result.code, result.reason}));
}

// Makes the result of a run whose host has left none, from events.jsonl and run.json.
base::Result<RunResult> make_result(const RunFolder& run, const RunRecord& record, TimePoint now) {
  const std::string events = run.path + "/events.jsonl";
  const base::Result<Story> story = read_story(events);
  if (!story) return story.error();
  const RunResult result = result_from(record, *story, run.path + "/output.cast", now);
  if (!story->end) {
    if (base::Status s = append_exit(events, *story, record, result); !s) return s.error();
  }
  if (base::Status s = write_file_in_room(run.path + "/result.json", to_json(result)); !s) {
    return s.error();
  }
  return result;
}

// Removes the space that the host had reserved for its verdict. The verdict is written by now or
// never will be.
void give_up_rooms(const std::string& run_dir) {
  for (const char* name : {"/run.json", "/result.json"}) give_up_room(run_dir + name);
}

// Removes the files of a host that died before it started the agent.
void remove_unbegun(const std::string& run_dir) {
  remove_remnants(run_dir);
  give_up_rooms(run_dir);
  for (const char* name :
       {"prompt.md", "output.cast", "events.jsonl", "transcript.txt", "orch.log"}) {
    ::unlink((run_dir + "/" + name).c_str());
  }
  ::rmdir(run_dir.c_str());
}

base::Status close_open_run(const RunFolder& run, RunRecord record, TimePoint now) {
  base::Result<RunResult> result = [&]() -> base::Result<RunResult> {
    Found<RunResult> there = result_of(run);
    if (there.is_unknown()) return there.error();
    if (there.is_present()) return std::move(there).value();
    return make_result(run, record, now);
  }();
  if (!result) return result.error();
  conclude(record, *result);
  return write_file_in_room(run.path + "/run.json", to_json(record));
}

}  // namespace

base::Status close_abandoned_run(const std::string& run_dir, TimePoint now) {
  const std::string file = run_dir + "/run.json";
  // The record as it was written: record_of() takes a result for its end.
  const Found<std::string> text = read_state(file, kMaxRecordBytes);
  if (text.is_unknown()) return text.error();
  if (text.is_absent()) {
    remove_unbegun(run_dir);
    return base::Ok{};
  }
  base::Result<RunRecord> record = run_record_from_json(*text);
  if (!record) return base::usage_error("read " + file + ": " + record.error().text);
  if (!record->ended) {
    const RunFolder run{run_dir, fs::path(run_dir).filename(), ""};
    if (base::Status s = close_open_run(run, std::move(record).value(), now); !s) return s;
  }
  remove_remnants(run_dir);
  give_up_rooms(run_dir);
  return base::Ok{};
}

}  // namespace orch::store
