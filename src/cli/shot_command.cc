#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/recordings.h"
#include "term/render.h"
#include "term/svg.h"

namespace orch::cli {
namespace {

struct ShotOptions {
  std::string recording, at, format = "text";
  std::optional<std::string> state_dir;
};

int shoot(const ShotOptions& options) {
  LoadedRecording loaded;
  // Any agent will do: only the screen is looked at.
  if (base::Status s = load_recording(options.recording, "command", options.state_dir, loaded);
      !s) {
    return report(s.error());
  }
  base::Result<int64_t> at = parse_moment(options.at, loaded.cast);
  if (!at) return report(at.error());
  session::Replay replay(loaded.cast, *loaded.manifest, *loaded.rules);
  replay.run_to(*at);
  const term::Screen& screen = replay.view().screen();
  std::string picture;
  if (options.format == "svg") {
    picture = term::render_svg(screen);
  } else if (options.format == "ansi") {
    picture = term::render_ansi(screen);
  } else if (options.format == "text") {
    picture = term::render_text(screen);
  } else {
    return report(base::usage_error("--format " + options.format + ": write text, svg or ansi"));
  }
  std::fwrite(picture.data(), 1, picture.size(), stdout);
  return 0;
}

}  // namespace

void add_shot_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("shot", "the screen of a recording at a moment");
  auto options = std::make_shared<ShotOptions>();
  command->add_option("recording", options->recording, "an asciicast file, or an issue")
      ->required();
  command->add_option("--at", options->at, "seconds since its start (default: its end)");
  command->add_option("--format", options->format, "text, svg, or ansi for a terminal of its size")
      ->capture_default_str();
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer("Examples:\n  orch shot 42\n  orch shot --at 12.5 --format svg x.cast > x.svg");
  command->callback([options, &chosen] { chosen = [options] { return shoot(*options); }; });
}

}  // namespace orch::cli
