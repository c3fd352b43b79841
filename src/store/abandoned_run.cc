#include "store/abandoned_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "event/event.h"
#include "store/atomic_file.h"
#include "store/event_log.h"
#include "store/file_io.h"
#include "store/runs.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

const event::Exit kHostDied{event::exit_code(event::ExitReason::kInternal),
                            event::ExitReason::kInternal};

// What events.jsonl, of any version, tells of a run.
struct Story {
  uintmax_t whole_bytes = 0;  // up to the last line feed, and with it
  int64_t ms = 0;             // of the last event
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

Story read_story(const std::string& path) {
  Story story;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  // A last line without a line feed does not count.
  while (std::getline(file, line) && !file.eof()) {
    story.whole_bytes += line.size() + 1;
    if (const auto record = event::parse_record(line)) take_event(*record, story);
  }
  return story;
}

// Whether the name is that of a temporary file of write_file().
bool is_unfinished(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot != std::string::npos && name.size() - dot == sizeof ".XXXXXX" - 1 &&
         name.find('.') != dot;
}

void remove_remnants(const fs::path& folder) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    std::error_code unknown;
    const bool pipe = entry.is_fifo(unknown);
    if (pipe || is_unfinished(entry.path().filename())) ::unlink(entry.path().c_str());
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
  std::error_code failure;
  if (fs::exists(recording, failure)) result.recording = recording;
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

// Makes the result of a run whose host has left none, from what events.jsonl and run.json tell.
base::Result<RunResult> make_result(const RunFolder& run, const RunRecord& record, TimePoint now) {
  const std::string events = run.path + "/events.jsonl";
  const Story story = read_story(events);
  const RunResult result = result_from(record, story, run.path + "/output.cast", now);
  if (!story.end) {
    if (base::Status s = append_exit(events, story, record, result); !s) return s.error();
  }
  if (base::Status s = write_file_in_room(run.path + "/result.json", to_json(result)); !s) {
    return s.error();
  }
  return result;
}

// Removes the room that the host had reserved for its verdict, which is written by now or never
// will be.
void give_up_rooms(const std::string& run_dir) {
  for (const char* name : {"/run.json", "/result.json"}) give_up_room(run_dir + name);
}

}  // namespace

base::Status close_abandoned_run(const std::string& run_dir, TimePoint now) {
  remove_remnants(run_dir);
  const RunFolder run{run_dir, fs::path(run_dir).filename(), ""};
  const bool has_record = ::access((run_dir + "/run.json").c_str(), F_OK) == 0 || errno != ENOENT;
  if (!has_record) {  // the agent was not started
    give_up_rooms(run_dir);
    for (const char* name :
         {"prompt.md", "output.cast", "events.jsonl", "transcript.txt", "orch.log"}) {
      ::unlink((run_dir + "/" + name).c_str());
    }
    ::rmdir(run_dir.c_str());
    return base::Ok{};
  }
  // The record as it was written: record_of() takes a result for its end.
  const auto text = read_regular_file(run_dir + "/run.json", kMaxRecordBytes);
  auto record = text ? run_record_from_json(*text) : base::Result<RunRecord>(text.error());
  if (!record) return base::Ok{};
  if (record->ended) {
    give_up_rooms(run_dir);
    return base::Ok{};
  }
  std::optional<RunResult> result = result_of(run);
  if (!result) {
    base::Result<RunResult> concluded = make_result(run, *record, now);
    if (!concluded) return concluded.error();
    result = std::move(concluded).value();
  }
  conclude(*record, *result);
  base::Status written = write_file_in_room(run_dir + "/run.json", to_json(*record));
  if (written) give_up_rooms(run_dir);
  return written;
}

}  // namespace orch::store
