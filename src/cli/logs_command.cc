#include <unistd.h>

#include <cstdio>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/invisible.h"
#include "base/json.h"
#include "cli/last_words.h"
#include "cli/new_command.h"
#include "client/client.h"
#include "client/find.h"
#include "event/event.h"
#include "event/question.h"
#include "loop/timer.h"
#include "run/completion.h"
#include "setup/recorded_calls.h"
#include "store/cast_reader.h"
#include "store/last_lines.h"
#include "store/runs.h"
#include "ui/attention.h"
#include "ui/output_stream.h"
#include "ui/query_filter.h"
#include "ui/standard_streams.h"

namespace orch::cli {
namespace {

constexpr uint64_t kToTheEnd = std::numeric_limits<uint64_t>::max();

struct LogsOptions {
  std::string issue;
  bool follow = false, raw = false, json = false, no_bell = false;
  int lines = -1;  // how many of the last lines; -1: all
  std::optional<std::string> state_dir;
};

// Prints records of events.jsonl: the agent's words and the decisions about its calls as text, or
// with `json` the records themselves.
class EventPrinter {
 public:
  EventPrinter(const store::RunFolder& run, bool json)
      : path_(run.path + "/events.jsonl"), json_(json) {
    const store::Found<store::RunRecord> record = store::record_of(run);
    if (!record.is_present() || !record->request || record->request->keep_keyword) return;
    keyword_ = record->request->keyword;
  }

  void print(std::string_view record) { put(shown(record)); }

  // Prints the records in a part of the file: all of them if `lines` is -1, otherwise the first
  // one, if it is to be shown, and the last `lines` of the others.
  void print_file(uint64_t from, uint64_t to, int lines) {
    uint64_t after_head = 0;
    note(store::each_line(path_, from, to, [&](std::string_view record, uint64_t next) {
      // The first record is always printed: the others depend on it and do not repeat it.
      if (lines < 0 || next == record.size() + 1) print(record);
      after_head = next;
      return lines < 0;
    }));
    if (lines >= 0 && after_head > 0) print_last(after_head, to, static_cast<size_t>(lines));
  }

  // An error if the file could not be read, or has lines that are not records.
  base::Status trouble() const {
    if (!unreadable_.empty()) {
      return base::Error{base::ErrorCode::kSystem, "cannot " + unreadable_};
    }
    if (malformed_ == 0) return base::Ok{};
    return base::Error{base::ErrorCode::kSystem,
                       path_ + ": " + std::to_string(malformed_) + " lines are no records"};
  }

 private:
  struct Line {
    std::string text = {};  // with its line feed; "": nothing is printed
    bool is_echo = false;   // a row of a message to the agent
  };

  // Reads the file from its end, so that only the shown part of a long file is read.
  void print_last(uint64_t from, uint64_t to, size_t lines) {
    std::deque<Line> last;
    note(store::each_line_from_end(path_, from, to, [&](std::string_view record) {
      if (last.size() == lines) return false;
      if (Line line = shown(record); !line.text.empty()) last.push_front(std::move(line));
      return last.size() < lines;
    }));
    for (Line& line : last) put(std::move(line));
  }

  // The rows of one message to the agent are one block: only the first one has the mark.
  void put(Line line) {
    if (line.text.empty()) return;
    if (line.is_echo && after_echo_) line.text.replace(0, kEcho.size(), "  ");
    after_echo_ = line.is_echo;
    std::fwrite(line.text.data(), 1, line.text.size(), stdout);
  }

  // Notes the result of reading: a failure, or the number of lines that were too long to be
  // records.
  void note(const base::Result<size_t>& too_long) {
    if (!too_long && unreadable_.empty()) unreadable_ = too_long.error().text;
    if (too_long) malformed_ += *too_long;
  }

  // The line to print for a record; no text for records that are not shown, and for lines that are
  // not records.
  Line shown(std::string_view record) {
    const std::optional<event::Record> read = json_ ? std::nullopt : event::parse_record(record);
    // A record of a kind that this version does not know is skipped, or printed as it is with
    // --json.
    if (!read && !(record.starts_with('{') && base::Json::accept(record))) {
      ++malformed_;
      return {};
    }
    if (json_) return {base::with_visible_json(std::string(record)).append("\n")};
    const std::optional<std::string> line = read ? line_of(read->event) : std::nullopt;
    if (!line) return {};
    const auto* output = std::get_if<event::Output>(&read->event);
    const bool is_echo = output != nullptr && output->speaker == event::Speaker::kUser;
    return {*line + "\n", is_echo && !line->empty()};
  }

  // The agent's words but for the keyword, or the decision about one of its calls.
  std::optional<std::string> line_of(const event::Event& event) const {
    if (const auto* words = std::get_if<event::Output>(&event)) {
      const bool is_agents = words->speaker == event::Speaker::kAgent;
      std::optional<std::string> text = event::to_text(*words);
      if (!text || !is_agents || keyword_.empty()) return text;
      return run::is_keyword(*text, keyword_) ? std::nullopt : text;
    }
    const auto* tool = std::get_if<event::Tool>(&event);
    if (tool == nullptr || tool->phase != event::ToolPhase::kDecided) return std::nullopt;
    return "orch: " + setup::decided_line(*tool);
  }

  std::string path_;
  bool json_;
  bool after_echo_ = false;  // the line printed last is a row of a message to the agent
  std::string keyword_;      // that the agent says when all is done; "": it is shown
  std::string unreadable_;   // why the file cannot be read; "": it can
  size_t malformed_ = 0;
};

// Prints the raw bytes of the agent's terminal. On a terminal it leaves out the agent's queries,
// which that terminal would answer.
class RawPrinter {
 public:
  void print(std::string_view bytes) {
    const std::string passed = is_terminal_ ? filter_.pass(bytes) : std::string(bytes);
    std::fwrite(passed.data(), 1, passed.size(), stdout);
  }

 private:
  bool is_terminal_ = ::isatty(STDOUT_FILENO) != 0;
  ui::QueryFilter filter_;
};

constexpr int64_t kLookForReaderMs = 250;

// Rings and notifies the user at this terminal when a dialog waits. The terminal's title is
// restored at once, because an interrupted command could not restore it later.
class Caller {
 public:
  explicit Caller(loop::Loop& loop) : stream_(loop, STDERR_FILENO), attention_(stream_) {}

  void hear(std::string_view json) {
    const std::optional<event::Record> record = event::parse_record(json);
    if (!record) return;
    if (const auto* start = std::get_if<event::SessionStart>(&record->event)) {
      session_ = start->session;
    } else if (const auto* dialog = std::get_if<event::Dialog>(&record->event)) {
      if (!dialog->answer.empty()) return;
      attention_.call(session_ + " waits: " + event::question_of(*dialog));
      attention_.relieve();
      stream_.flush();
    }
  }

 private:
  ui::OutputStream stream_;
  ui::Attention attention_;
  std::string session_ = "orch";
};

// Prints the output of a session until it ends or standard output has no reader any more.
class LogFollower final : public client::Follower {
 public:
  LogFollower(loop::Loop& loop, EventPrinter& printer, const LogsOptions& options)
      : loop_(loop), printer_(printer), options_(options), reader_(loop) {
    const bool on_terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
    if (on_terminal && !options.no_bell) caller_.emplace(loop);
    look_for_reader();
  }
  int code() const { return code_; }

 private:
  void on_started(uint64_t events_offset) override {
    if (!options_.raw) printer_.print_file(0, events_offset, options_.lines);
    std::fflush(stdout);
  }
  void on_event(std::string_view json) override {
    if (caller_) caller_->hear(json);
    if (std::exchange(at_head_, false)) return;  // on_started() has printed it from the file
    printer_.print(json);
    std::fflush(stdout);
  }
  void on_raw(std::string_view bytes) override {
    raw_.print(bytes);
    std::fflush(stdout);
  }
  void on_lagged(const client::Gap& gap) override {
    if (!options_.raw) printer_.print_file(gap.from, gap.to, -1);
    if (gap.raw_bytes == 0) return;
    std::fprintf(stderr, "orch: %llu bytes came too fast; the recording has them\n",
                 static_cast<unsigned long long>(gap.raw_bytes));
  }
  void on_end(std::string_view) override { loop_.stop(); }
  void on_lost(const base::Error& error) override {
    code_ = report_no_session(error);
    loop_.stop();
  }

  void look_for_reader() {
    if (ui::output_is_lost()) return loop_.stop();
    reader_.start(kLookForReaderMs, [this] { look_for_reader(); });
  }

  loop::Loop& loop_;
  EventPrinter& printer_;
  const LogsOptions& options_;
  loop::Timer reader_;
  std::optional<Caller> caller_;
  RawPrinter raw_;
  int code_ = 0;
  bool at_head_ = true;
};

int print_recording(const std::string& path) {
  RawPrinter raw;
  base::Result<store::CastReader> cast = store::CastReader::open_regular(path);
  if (!cast) return report(cast.error());
  for (const store::CastEvent* event = cast->next(); event != nullptr; event = cast->next()) {
    if (event->kind == store::CastKind::kOutput) raw.print(event->data);
  }
  const base::Status whole = cast->trouble();
  return whole ? 0 : report(whole.error());
}

int follow(const std::string& state_dir, const client::Found& found, const LogsOptions& options) {
  loop::Loop loop;
  EventPrinter printer(found.run, options.json);
  LogFollower follower(loop, printer, options);
  auto client = client::Client::connect(loop, state_dir, *found.session);
  if (!client) return report(client.error());
  (*client)->follow({.events = !options.raw, .raw = options.raw}, follower);
  loop.run();
  if (follower.code() != 0) return follower.code();
  base::Status s = printer.trouble();
  return s ? 0 : report(s.error());
}

int logs(const LogsOptions& options, const client::Place& place) {
  if (options.raw && options.json) return report(base::usage_error("--raw or --json, not both"));
  if (options.raw && ::isatty(STDOUT_FILENO) != 0) {
    std::fprintf(stderr,
                 "orch: the agent's own escape sequences go to this terminal; "
                 "type reset if it is left in disorder\n");
  }
  const base::Result<client::Found> found = client::find_shown(place, options.issue);
  if (!found) return report_no_session(found.error());
  const bool runs = found->session && found->session->status == store::SessionStatus::kRunning;
  if (options.follow && runs) return follow(place.state_dir, *found, options);
  if (options.raw) return print_recording(found->run.path + "/output.cast");
  EventPrinter printer(found->run, options.json);
  printer.print_file(0, kToTheEnd, options.lines);
  base::Status s = printer.trouble();
  return s ? 0 : report(s.error());
}

}  // namespace

void add_logs_command(CLI::App& app, Chosen& chosen) {
  CommandWith<LogsOptions> command(
      app, chosen, "logs",
      "an agent's words, also while it works, and the decisions about its calls", logs);
  command.option("issue", command->issue,
                 "an issue or a session's name (default: the newest run here)");
  command.flag("-f,--follow", command->follow, "go on until the session ends");
  command.option("-n,--lines", command->lines, "only the last so many").between(0, INT32_MAX);
  command.flag("--json", command->json, "all events, as JSON lines");
  command.flag("--raw", command->raw,
               "the terminal's bytes, escape sequences included; with -f from now on");
  command.flag("--no-bell", command->no_bell,
               "with -f: do not ring nor notify on a terminal when a dialog waits");
  command.state_dir();
  command.footer(
      "Exit code 4: there is neither a session nor a run.\n\n"
      "Examples:\n  orch logs 42\n  orch logs -f -n 20 42\n"
      "  orch logs --json 42 | jq -r 'select(.event == \"status\").status'");
}

}  // namespace orch::cli
