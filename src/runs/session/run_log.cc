#include "session/run_log.h"

#include <algorithm>
#include <utility>

#include "base/invisible.h"
#include "mask/text.h"
#include "store/json_text.h"

namespace orch::session {

using base::TimeMs;

namespace {

// Replaces each printable byte by a star. The bytes of a single special key stay; the beginning of
// a paste is longer than any.
std::string masked(std::string bytes) {
  constexpr size_t kLongestKey = 5;
  if (bytes.starts_with('\x1b') && bytes.size() <= kLongestKey) return bytes;
  for (char& byte : bytes) {
    if (static_cast<unsigned char>(byte) > ' ' && byte != '\x7f') byte = '*';
  }
  return bytes;
}

}  // namespace

base::Result<RunLog> RunLog::open(loop::Loop& loop, const store::RunDir& dir,
                                  const SessionSetup& setup, store::TimePoint started,
                                  SessionSink& sink) {
  base::Result<RunFiles> files = RunFiles::open(dir, setup, started);
  if (!files) return files.error();
  return RunLog(loop, std::move(files).value(), setup.secrets, sink);
}

RunLog::RunLog(loop::Loop& loop, RunFiles files, std::shared_ptr<const mask::Secrets> secrets,
               SessionSink& sink)
    : files_(std::move(files)),
      secrets_(std::move(secrets)),
      words_(secrets_),
      disk_(std::make_unique<loop::Background>(loop)),
      sink_(&sink) {}

void RunLog::begin(TimeMs at) { tell(at, files_.head()); }

void RunLog::mark_running() {
  submit(files_.running(), [this](const base::Status& status) { check(status); });
}

void RunLog::take_agent_session(const std::string& id, const std::string& version) {
  if (files_.take_agent_session(id, version)) mark_running();
}

void RunLog::take_agent_version(const std::string& version) {
  if (files_.take_agent_version(version)) mark_running();
}

void RunLog::submit(DiskJob::Order order, std::function<void(const base::Status&)> on_done) {
  disk_->submit(std::make_unique<DiskJob>(std::move(order), files_.dir().id(), progress_,
                                          std::move(on_done)));
}

void RunLog::output(TimeMs at, std::string_view bytes) {
  check(files_.recording().output(at, bytes));
}

void RunLog::input(TimeMs at, std::string_view bytes) {
  check(files_.recording().input(at, bytes));
}

void RunLog::secret_input(TimeMs at, std::string_view bytes) {
  input(at, masked(std::string(bytes)));
}

void RunLog::resize(TimeMs at, int cols, int rows) {
  check(files_.recording().resize(at, cols, rows));
}

void RunLog::notice(TimeMs at, std::string_view text) {
  check(files_.recording().marker(at, "notice=" + mask::masked(secrets_, text)));
}

void RunLog::tell(TimeMs at, const event::Event& told) {
  tell_masked(at, words_.release());
  const auto [event, json] = masked_event(secrets_, at, told);
  // If the run's end could not be written, it is not reported: on_failure_ has made the run fail,
  // and another end follows.
  if (!check(files_.event(json)) && std::holds_alternative<event::Exit>(event)) return;
  if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    check(files_.recording().marker(at,
                                    "status=" + event::status_text(change->status, change->cause)));
  }
  sink_->on_event(event, json);
}

// There may be many lines at once, and the records of one speaker's lines differ in the text alone:
// the record is formatted once, and all are written together.
void RunLog::tell(TimeMs at, std::vector<agent::Line> lines) {
  tell_masked(at, words_.pass(at, std::move(lines)));
}

void RunLog::tell_masked(TimeMs at, std::vector<agent::Line> lines) {
  if (lines.empty()) return;
  event::Output without_text;
  std::string json;
  size_t text_at = 0;
  for (agent::Line& line : lines) {
    const event::Output head{"", line.speaker, line.continues, line.gap};
    if (text_at == 0 || head != without_text) {
      without_text = head;
      json = event::to_json(at, without_text);
      text_at = json.size() - 2;  // where the empty text ends: ..."text":""}
    }
    json.resize(text_at);
    store::append_json_text(json, line.text);
    json = base::with_visible_json(std::move(json += "\"}"));
    const event::Output output{std::move(line.text), line.speaker, line.continues, line.gap};
    check(files_.words(output, json));
    sink_->on_event(output, json);
  }
  check(files_.flush_words());
}

void RunLog::keep_gate(int n, const std::string& log) {
  DiskJob::Order order;
  order.folder = files_.dir().gates_folder();
  order.write.push_back({.path = files_.dir().gate_log(n), .content = mask::masked(secrets_, log)});
  submit(std::move(order), [this](const base::Status& status) { check(status); });
}

TimeMs RunLog::next_flush() const {
  const std::optional<TimeMs> since = words_.held_since();
  const TimeMs words = since ? *since + MaskedRecording::kMostHeldMs : base::kNever;
  return std::min(words, files_.recording().next_flush());
}

void RunLog::flush(TimeMs now) {
  const std::optional<TimeMs> since = words_.held_since();
  if (since && now - *since >= MaskedRecording::kMostHeldMs) tell_masked(now, words_.release());
  if (files_.recording().next_flush() <= now) check(files_.recording().flush(now));
}

void RunLog::finish_recording(TimeMs at) {
  tell_masked(at, words_.release());
  check(files_.recording().finish(at));
}

void RunLog::finish(const store::RunResult& result, const std::string& screen,
                    std::function<void(const base::Status&)> on_done) {
  submit(files_.ended(result, mask::masked(secrets_, screen)), std::move(on_done));
}

void RunLog::leave_disk() { disk_.reset(); }

base::Status RunLog::finish_at_once(const store::RunResult& result) {
  begin(0);
  tell(0, event::Exit{result.code, result.reason});
  DiskJob::Order order = files_.ended(result, "");
  return DiskJob::carry_out(order, *progress_);
}

// False only for the first failure.
bool RunLog::check(const base::Status& status) {
  if (status || failed_) return true;
  failed_ = true;
  if (on_failure_) on_failure_(status.error().text);
  return false;
}

}  // namespace orch::session
