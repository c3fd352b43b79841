#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/new_command.h"
#include "mask/text.h"
#include "policy/policy.h"
#include "run/completion.h"
#include "setup/recorded_calls.h"
#include "setup/recordings.h"
#include "setup/run_secrets.h"
#include "store/last_lines.h"

namespace orch::cli {
namespace {

struct ExplainOptions {
  std::string recording, agent, at;
  std::string keyword = "LOOP_COMPLETE";
  std::optional<std::string> state_dir;
};

constexpr const char* kUnknownWorkDir = "/work";  // recordings do not contain the work directory

// A text of the agent without control characters and without secrets.
std::string shown(std::string_view text) {
  static const auto kSecrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  return base::printable(mask::masked(kSecrets, text));
}

double seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

void print_signal(const char* name, const std::string& text, int64_t age_ms) {
  std::printf("  %-9s %-50s %8.3f s old\n", name, text.empty() ? "-" : shown(text).c_str(),
              seconds(age_ms));
}

void print_signals(const driver::AgentView& view, int64_t now) {
  const detect::Detector& detector = view.detector();
  const detect::Evidence& evidence = detector.evidence();
  std::printf("signals\n");
  print_signal("title", evidence.title().text, now - evidence.title().since);
  print_signal("report", evidence.report().text, now - evidence.report().since);
  print_signal("progress", evidence.progress().text, now - evidence.progress().since);
  const detect::Layout& layout = evidence.layout();
  std::string screen = layout.box ? "input box in row " + std::to_string(layout.box_rows.begin)
                                  : std::string("no input box");
  if (!layout.choices.empty()) screen += ", choices in row " + std::to_string(layout.choices.begin);
  print_signal("screen", screen, now - evidence.rows_since());
  if (const auto& typed = detector.latest().typed) print_signal("typed", *typed, 0);
  print_signal("output", "", now - detector.last_output());
}

void print_row(const driver::AgentView& view, int row) {
  if (row < 0) return;
  std::printf("      row %d: %s\n", row, shown(view.detector().rows()[row].text).c_str());
}

void print_rules(const driver::AgentView& view) {
  std::printf("rules, by priority\n");
  bool won = false;
  for (const detect::RuleTrial& trial : view.detector().evidence().try_all()) {
    const bool holds = trial.failed == nullptr;
    const char* mark = !holds ? " " : won ? "+" : "*";
    std::printf("  %s %-26s %-20s", mark, shown(trial.rule->name).c_str(),
                event::status_text(trial.rule->status, trial.rule->cause).c_str());
    if (!holds) {
      std::printf(" no: %s\n", shown(trial.failed->text).c_str());
    } else {
      std::printf(" %s\n", won ? "holds, but one of higher priority does" : "holds and decides");
      print_row(view, trial.row);
    }
    won = won || holds;
  }
}

void print_confirmation(const driver::AgentView& view, int64_t now) {
  const detect::Detector& detector = view.detector();
  const auto& candidate = detector.candidate();
  if (!candidate) {
    std::printf("confirmation: nothing waits to be believed\n");
    return;
  }
  std::printf("confirmation: %s seen in %d samples over %.3f s, believed after %.3f s\n",
              std::string(event::name(candidate->status)).c_str(), candidate->samples,
              seconds(now - candidate->since), seconds(candidate->needed_ms));
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : ", ").append(text);
  return shown(all);
}

std::string_view name_of(agent::DialogRequest::Action action) {
  using Action = agent::DialogRequest::Action;
  switch (action) {
    case Action::kCommand:
      return "command";
    case Action::kWrite:
      return "write";
    case Action::kRead:
      return "read";
    case Action::kOther:
      return "other";
    case Action::kBypass:
      return "bypass";
    case Action::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(policy::Answer answer) {
  switch (answer) {
    case policy::Answer::kAllow:
      return "allow";
    case policy::Answer::kDeny:
      return "deny";
    case policy::Answer::kNone:
      break;
  }
  return "left to a person";
}

// Prints the request in the dialog of an agent that waits, and the answer of --approve all.
void print_dialog(const session::Replay& replay, const adapters::Manifest& manifest) {
  const detect::Detector& detector = replay.view().detector();
  if (detector.status() != event::AgentStatus::kWaiting) return;
  const agent::DialogRequest request = replay.dialog();
  const policy::Decision decision = policy::Policy::all().decide(
      {.agent = manifest.name, .request = request, .work_dir = kUnknownWorkDir});
  const std::string_view kind = event::name(request.kind);
  std::printf("dialog: %s %s, %s%s\n", kind.empty() ? "?" : std::string(kind).c_str(),
              std::string(name_of(request.action)).c_str(),
              request.tool.empty() ? "" : (shown(request.tool) + ", ").c_str(),
              request.complete ? "complete" : "not complete");
  if (!request.likely.empty()) std::printf("  command: %s\n", joined({request.likely[0]}).c_str());
  if (!request.paths.empty()) std::printf("  paths: %s\n", joined(request.paths).c_str());
  for (const agent::DialogOption& option : request.options) {
    std::printf("  option: %-14s %s\n", std::string(agent::name(option.meaning)).c_str(),
                shown(agent::label(option)).c_str());
  }
  std::printf("  --approve all: %s (%s)\n", std::string(name_of(decision.answer)).c_str(),
              shown(decision.rule).c_str());
}

// Prints whether the words of the turn so far would complete a run.
void print_completion(const std::vector<session::ReplayedEvent>& events, std::string keyword) {
  run::Completion completion(std::move(keyword));
  for (const session::ReplayedEvent& replayed : events) {
    const auto* line = std::get_if<event::Output>(&replayed.event);
    if (line != nullptr)
      completion.on_line({line->text, line->speaker, line->continues, line->gap});
  }
  std::printf("completion: %s\n", shown(completion.why()).c_str());
}

// Prints the decisions about the agent's calls up to that moment, if the recording belongs to a run
// with checked calls.
void print_calls(const ExplainOptions& options, int64_t at) {
  const base::Result<std::string> path =
      setup::recording_path(options.recording, options.state_dir);
  if (!path) return;
  const std::string folder = path->substr(0, path->rfind('/') + 1);
  bool first = true;
  // Without events.jsonl it is the recording of no run.
  (void)store::each_line(
      folder + "events.jsonl", 0, std::numeric_limits<uint64_t>::max(),
      [&](std::string_view line, uint64_t /*next*/) {
        const std::optional<event::Record> record = event::parse_record(line);
        const auto* tool = record ? std::get_if<event::Tool>(&record->event) : nullptr;
        const bool decided = tool != nullptr && tool->phase == event::ToolPhase::kDecided;
        if (!decided || record->ms > at) return true;
        if (std::exchange(first, false)) std::printf("calls\n");
        std::printf("  %8.3f s %s\n", seconds(record->ms), setup::decided_line(*tool).c_str());
        return true;
      });
}

int explain(const ExplainOptions& options) {
  setup::LoadedRecording loaded;
  if (base::Status s =
          setup::load_recording(options.recording, options.agent, options.state_dir, loaded);
      !s) {
    return report(s.error());
  }
  const base::Result<int64_t> moment = setup::parse_moment(options.at);
  if (!moment) return report(moment.error());
  session::Replay replay(*loaded.cast, *loaded.manifest, *loaded.rules);
  const std::vector<session::ReplayedEvent> events = replay.run_to(*moment);
  if (base::Status s = loaded.cast->trouble(); !s) return report(s.error());
  const int64_t at = replay.now_ms();
  const detect::Detector& detector = replay.view().detector();
  std::printf("at %.3f s %s: %s, since %.3f s\n", seconds(at), loaded.manifest->name.c_str(),
              event::status_text(detector.status(), detector.cause()).c_str(),
              seconds(detector.since()));
  print_signals(replay.view(), at);
  print_rules(replay.view());
  print_confirmation(replay.view(), at);
  print_dialog(replay, *loaded.manifest);
  print_completion(events, options.keyword);
  print_calls(options, at);
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ExplainOptions> command(app, chosen, "explain",
                                      "why a recording has its status at a moment", explain);
  command.option("recording", command->recording,
                 "an asciicast file, or an issue (default: the newest run here)");
  command.option("--at", command->at, "seconds since its start (default: its end)");
  command.option("--agent", command->agent, "which agent it shows (default: as it says itself)");
  command.option("--complete-keyword", command->keyword,
                 "what the agent says when all is done (default: LOOP_COMPLETE)");
  command.state_dir();
  command.footer(
      "Rules marked * decided, + hold too but have a lower priority.\n\n"
      "Examples:\n  orch explain 42\n  orch explain --agent claude --at 12.5 x.cast");
}

}  // namespace orch::cli
