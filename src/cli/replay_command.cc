#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/new_command.h"
#include "cli/player.h"
#include "session/masked_words.h"
#include "setup/recordings.h"
#include "setup/run_secrets.h"
#include "ui/color.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

struct ReplayOptions {
  std::string recording, agent;
  std::optional<std::string> state_dir;
  bool json = false, statuses = false;
  double speed = 1;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
};

// Whether to play the recording: on a terminal of the user's, unless the statuses were requested. A
// file that cannot be read twice is not played, because going back means reading it again.
bool is_played(const ReplayOptions& options, const std::string& path) {
  std::error_code failure;
  return !options.json && !options.statuses && ui::UserTerminal::is_ours() &&
         std::filesystem::is_regular_file(path, failure);
}

int play(const ReplayOptions& options, const std::string& path, setup::LoadedRecording& loaded) {
  Player::Plan plan;
  plan.path = path;
  plan.speed = options.speed;
  plan.secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  plan.ink = in_color ? ui::Ink::kColors : ui::Ink::kMonochrome;
  session::Replay replay(*loaded.cast, *loaded.manifest, *loaded.rules);
  replay.run([&plan](const session::ReplayedEvent& replayed) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change == nullptr) return;
    plan.statuses.push_back({replayed.ms, event::status_text(change->status, change->cause),
                             base::printable(change->rule)});
  });
  plan.end_ms = replay.now_ms();
  if (base::Status whole = loaded.cast->trouble(); !whole) return report(whole.error());
  return Player(std::move(plan)).run();
}

int replay(const ReplayOptions& options) {
  setup::LoadedRecording loaded;
  if (base::Status s =
          setup::load_recording(options.recording, options.agent, options.state_dir, loaded);
      !s) {
    return report(s.error());
  }
  const base::Result<std::string> path =
      setup::recording_path(options.recording, options.state_dir);
  if (!path) return report(path.error());
  if (is_played(options, *path)) return play(options, *path, loaded);
  session::Replay replay(*loaded.cast, *loaded.manifest, *loaded.rules);
  const auto print_record = [](int64_t ms, const event::Event& event) {
    std::printf("%s\n", event::to_json(ms, event).c_str());
  };
  if (options.json) {
    event::SessionStart head;
    head.agent = loaded.manifest->name;
    print_record(0, head);
  }
  session::MaskedEvents masked(std::make_shared<const mask::Secrets>(setup::secrets_of({})));
  const auto print = [&](const std::vector<event::Record>& records) {
    for (const event::Record& record : records) {
      if (options.json) {
        print_record(record.ms, record.event);
      } else {
        setup::print_status({record.ms, record.event});
      }
    }
  };
  replay.run([&](const session::ReplayedEvent& replayed) {
    print(masked.pass({replayed.ms, replayed.event}));
  });
  print(masked.rest());
  const base::Status whole = loaded.cast->trouble();
  return whole ? 0 : report(whole.error());
}

}  // namespace

void add_replay_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ReplayOptions> command(
      app, chosen, "replay", "play a recording on the terminal, or list its statuses", replay);
  command.option("recording", command->recording, "an asciicast file, or an issue").required();
  command
      .option("--speed", command->speed, "how fast it is played: 2 is twice as fast as it happened")
      .between(ui::ReplayModel::kLeastSpeed, ui::ReplayModel::kMostSpeed)
      .show_default();
  command.flag("--statuses", command->statuses,
               "list status after status with the rule that decided, as in a pipe");
  command.option("--agent", command->agent, "which agent it shows (default: as it says itself)");
  command.state_dir();
  command.flag("--json", command->json, "status and output records as JSON lines");
  command.color();
  command.footer(
      "On a terminal the recording is played. Space pauses, the arrows seek by 5 s and change the\n"
      "speed, [ and ] go to the status before and after, Home and End to the ends, q leaves.\n\n"
      "Examples:\n  orch replay 42\n  orch replay --speed 4 output.cast\n"
      "  orch replay 42 --statuses\n  orch replay --agent claude --json x.cast");
}

}  // namespace orch::cli
