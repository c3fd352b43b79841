#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "session/masked_words.h"
#include "setup/recordings.h"
#include "setup/run_secrets.h"

namespace orch::cli {
namespace {

struct ReplayOptions {
  std::string recording, agent;
  std::optional<std::string> state_dir;
  bool json = false;
};

int replay(const ReplayOptions& options) {
  setup::LoadedRecording loaded;
  if (base::Status s =
          setup::load_recording(options.recording, options.agent, options.state_dir, loaded);
      !s) {
    return report(s.error());
  }
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
  CLI::App* command = app.add_subcommand("replay", "the statuses of a recording");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("recording", options->recording, "an asciicast file, or an issue")
      ->required();
  command->add_option("--agent", options->agent,
                      "which agent it shows (default: as it says itself)");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->add_flag("--json", options->json, "status and output records as JSON lines");
  command->footer(
      "Examples:\n  orch replay output.cast\n  orch replay 42\n"
      "  orch replay --agent claude --json x.cast");
  command->callback([options, &chosen] { chosen = [options] { return replay(*options); }; });
}

}  // namespace orch::cli
