#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/sessions.h"
#include "event/event.h"
#include "host/client.h"
#include "store/cast_reader.h"
#include "store/runs.h"

namespace orch::cli {
namespace {

constexpr uint64_t kToTheEnd = std::numeric_limits<uint64_t>::max();

struct LogsOptions {
  std::string issue;
  bool follow = false, raw = false, json = false;
  int lines = -1;  // the last so many; -1: all
  std::optional<std::string> state_dir;
};

// The records of events.jsonl as they are asked for: the agent's words, or the records themselves.
class EventPrinter {
 public:
  EventPrinter(std::string path, bool json) : path_(std::move(path)), json_(json) {}

  void print(std::string_view record) const {
    const std::string line = shown(record);
    if (!line.empty()) std::fwrite(line.data(), 1, line.size(), stdout);
  }

  // The records in this part of the file: all of them where `lines` is -1, else the head and of
  // what else is shown the last `lines`.
  void print_file(uint64_t from, uint64_t to, int lines) const {
    std::ifstream in(path_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(from));
    std::deque<std::string> last;
    std::string record;
    for (uint64_t at = from; at < to && std::getline(in, record) && !in.eof();) {
      const bool head = at == 0;  // what holds for the records after it, which do not repeat it
      at += record.size() + 1;
      if (lines < 0 || head) {
        print(record);
        continue;
      }
      if (std::string line = shown(record); !line.empty()) last.push_back(std::move(line));
      if (last.size() > static_cast<size_t>(lines)) last.pop_front();
    }
    for (const std::string& line : last) std::fwrite(line.data(), 1, line.size(), stdout);
  }

 private:
  std::string shown(std::string_view record) const {
    if (json_) return std::string(record).append("\n");
    const std::optional<event::Record> read = event::parse_record(record);
    const auto* words = read ? std::get_if<event::Output>(&read->event) : nullptr;
    const std::optional<std::string> text =
        words != nullptr ? event::to_text(*words) : std::nullopt;
    return text ? *text + "\n" : "";
  }

  std::string path_;
  bool json_;
};

// Prints what a session does until it ends.
class LogFollower final : public host::Follower {
 public:
  LogFollower(loop::Loop& loop, const EventPrinter& printer, const LogsOptions& options)
      : loop_(loop), printer_(printer), options_(options) {}
  int code() const { return code_; }

 private:
  void on_started(uint64_t events_offset) override {
    if (!options_.raw) printer_.print_file(0, events_offset, options_.lines);
    std::fflush(stdout);
  }
  void on_event(std::string_view json) override {
    if (std::exchange(at_head_, false)) return;  // on_started has printed it from the file
    printer_.print(json);
    std::fflush(stdout);
  }
  void on_raw(std::string_view bytes) override {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    std::fflush(stdout);
  }
  void on_lagged(const host::Gap& gap) override {
    if (!options_.raw) printer_.print_file(gap.from, gap.to, -1);
    if (gap.raw_bytes == 0) return;
    std::fprintf(stderr, "orch: %llu bytes came too fast; the recording has them\n",
                 static_cast<unsigned long long>(gap.raw_bytes));
  }
  void on_end(std::string_view) override { loop_.stop(); }
  void on_lost(const base::Error& error) override {
    code_ = report(error);
    loop_.stop();
  }

  loop::Loop& loop_;
  const EventPrinter& printer_;
  const LogsOptions& options_;
  int code_ = 0;
  bool at_head_ = true;
};

int print_recording(const std::string& path) {
  base::Result<store::Cast> cast = store::read_cast(path);
  if (!cast) return report(cast.error());
  for (const store::CastEvent& event : cast->events) {
    if (event.kind == store::CastKind::kOutput) {
      std::fwrite(event.data.data(), 1, event.data.size(), stdout);
    }
  }
  return 0;
}

int follow(const store::SessionRecord& session, const LogsOptions& options) {
  loop::Loop loop;
  const EventPrinter printer(session.run_dir + "/events.jsonl", options.json);
  LogFollower follower(loop, printer, options);
  auto client = host::Client::connect(loop, session.socket, session.name);
  if (!client) return report(client.error());
  (*client)->follow({.events = !options.raw, .raw = options.raw}, follower);
  loop.run();
  return follower.code();
}

int logs(const LogsOptions& options) {
  base::Result<std::string> state_dir = state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  if (options.raw && options.json) return report(base::usage_error("--raw or --json, not both"));
  if (options.raw && ::isatty(STDOUT_FILENO) != 0) {
    std::fprintf(stderr,
                 "orch: the agent's own escape sequences go to this terminal; "
                 "type reset if it is left in disorder\n");
  }
  base::Result<store::SessionRecord> session = find_session(*state_dir, options.issue);
  if (!session && session.error().code == base::ErrorCode::kUsage) return report(session.error());
  const bool runs = session && session->status == store::SessionStatus::kRunning;
  if (options.follow && runs) return follow(*session, options);
  std::string folder;
  if (session) {
    folder = session->run_dir;
  } else {
    base::Result<store::RunFolder> run = store::newest_run(*state_dir, options.issue);
    if (!run) return report_no_session(run.error());
    folder = run->path;
  }
  if (options.raw) return print_recording(folder + "/output.cast");
  EventPrinter(folder + "/events.jsonl", options.json).print_file(0, kToTheEnd, options.lines);
  return 0;
}

}  // namespace

void add_logs_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("logs", "what an agent said, or says");
  auto options = std::make_shared<LogsOptions>();
  command->add_option("issue", options->issue, "an issue or a session's name")->required();
  command->add_flag("-f,--follow", options->follow, "go on until the session ends");
  command->add_option("-n,--lines", options->lines, "only the last so many")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "all events, as JSON lines");
  command->add_flag("--raw", options->raw,
                    "the terminal's bytes, escape sequences included; with -f from now on");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "Exit code 4: there is neither a session nor a run.\n\n"
      "Examples:\n  orch logs 42\n  orch logs -f -n 20 42\n"
      "  orch logs --json 42 | jq -r 'select(.event == \"status\").status'");
  command->callback([options, &chosen] { chosen = [options] { return logs(*options); }; });
}

}  // namespace orch::cli
