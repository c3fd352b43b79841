#include <cstdio>
#include <memory>
#include <string>

#include "base/invisible.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "mask/screen.h"
#include "setup/coming_secrets.h"
#include "setup/recordings.h"
#include "setup/run_secrets.h"
#include "term/render.h"
#include "term/svg.h"

namespace orch::cli {
namespace {

struct ShotOptions {
  std::string recording, at, format;
  std::optional<std::string> state_dir;
};

// Plays the recording up to `ms` on the screen. Output after the agent's exit is not the agent's,
// and is left out.
base::Status show_until(int64_t ms, store::CastReader& cast, term::Screen& screen) {
  for (const store::CastEvent* event = cast.next(); event != nullptr; event = cast.next()) {
    if (event->us / 1000 > ms || event->kind == store::CastKind::kExit) break;
    setup::play(*event, screen);
  }
  return cast.trouble();
}

int shoot(const ShotOptions& options) {
  const base::Result<int64_t> at = setup::parse_moment(options.at);
  if (!at) return report(at.error());
  const base::Result<std::string> path =
      setup::recording_path(options.recording, options.state_dir);
  if (!path) return report(path.error());
  base::Result<store::CastReader> cast = setup::open_recording(*path);
  if (!cast) return report(cast.error());
  term::Screen screen({cast->header().cols, cast->header().rows});
  if (base::Status s = show_until(*at, *cast, screen); !s) return report(s.error());
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  if (!options.at.empty()) {
    base::Result<store::CastReader> again = setup::open_recording(*path);
    if (!again) return report(again.error());
    const setup::ComingSecrets coming =
        setup::coming_secrets(*again, *at, *at + mask::kMostApartMs, secrets);
    mask::cover(screen, coming.parts_on(*at, screen));
  }
  mask::cover(screen, mask::find_on(secrets, screen));
  std::string picture;
  if (options.format == "svg") {
    picture = term::render_svg(screen);
  } else if (options.format == "ansi") {
    picture = base::without_invisible(term::render_ansi(screen));
  } else if (options.format.empty() || options.format == "text") {
    picture = base::printable_lines(term::render_text(screen));
  } else {
    return report(base::usage_error("--format " + options.format + ": write text, svg or ansi"));
  }
  std::fwrite(picture.data(), 1, picture.size(), stdout);
  return 0;
}

}  // namespace

void add_shot_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ShotOptions> command(app, chosen, "shot", "the screen of a recording at a moment",
                                   shoot);
  command.option("recording", command->recording,
                 "an asciicast file, or an issue (default: the newest run here)");
  command.option("--at", command->at, "seconds since its start (default: its end)");
  command.option("--format", command->format,
                 "what is written; text (default), svg, or ansi for a terminal of its size");
  command.state_dir();
  command.footer("Examples:\n  orch shot 42\n  orch shot --at 12.5 --format svg x.cast > x.svg");
}

}  // namespace orch::cli
