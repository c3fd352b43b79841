#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/invisible.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/command.h"
#include "mask/screen.h"
#include "report/hidden_rows.h"
#include "setup/coming_secrets.h"
#include "setup/recordings.h"
#include "setup/run_secrets.h"
#include "term/animated_svg.h"
#include "term/render.h"
#include "term/svg.h"

namespace orch::cli {
namespace {

struct ShotOptions {
  std::string recording, at, format;
  bool animate = false;
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

constexpr int64_t kLeastStepMs = 80;      // shorter-lived screens of a film are merged
constexpr int64_t kLongestWaitMs = 2000;  // in a film; longer ones are cut to this
constexpr int64_t kLastMs = 3000;         // how long its last screen stands

// A film of the whole recording.
int shoot_film(const ShotOptions& options) {
  if (!options.at.empty() || !(options.format.empty() || options.format == "svg")) {
    return report(
        base::usage_error("--animate makes an svg film of the whole recording: leave out "
                          "--at, and --format other than svg"));
  }
  const base::Result<std::string> path =
      setup::recording_path(options.recording, options.state_dir);
  if (!path) return report(path.error());
  base::Result<store::CastReader> before = setup::open_recording(*path);
  if (!before) return report(before.error());
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  const setup::ComingSecrets coming = setup::coming_secrets(*before, 0, base::kNever, secrets);
  base::Result<store::CastReader> cast = setup::open_recording(*path);
  if (!cast) return report(cast.error());
  term::Screen screen({cast->header().cols, cast->header().rows});
  term::AnimatedSvg film(screen.size());
  int64_t shown_ms = 0, film_ms = 0;  // when the last screen was shown, in both times
  const auto show = [&](int64_t ms) {
    film_ms += std::min(ms - shown_ms, kLongestWaitMs);
    shown_ms = ms;
    film.add(film_ms, screen, report::hidden_rows(screen, secrets, coming.parts_on(ms, screen)));
  };
  int64_t ms = 0;
  for (const store::CastEvent* event = cast->next(); event != nullptr; event = cast->next()) {
    if (event->kind == store::CastKind::kExit) break;
    const int64_t event_ms = event->us / 1000;
    if (event_ms - shown_ms >= kLeastStepMs) show(ms);
    ms = event_ms;
    setup::play(*event, screen);
  }
  show(ms);
  if (base::Status s = cast->trouble(); !s) return report(s.error());
  const std::string picture = film.finish(film_ms + kLastMs);
  std::fwrite(picture.data(), 1, picture.size(), stdout);
  return 0;
}

int shoot(const ShotOptions& options) {
  if (options.animate) return shoot_film(options);
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
  CLI::App* command = app.add_subcommand("shot", "the screen of a recording at a moment");
  auto options = std::make_shared<ShotOptions>();
  command->add_option("recording", options->recording,
                      "an asciicast file, or an issue (default: the newest run here)");
  command->add_option("--at", options->at, "seconds since its start (default: its end)");
  command->add_option("--format", options->format,
                      "what is written; text (default), svg, or ansi for a terminal of its size");
  command->add_flag(
      "--animate", options->animate,
      "a film of the whole recording, as an SVG picture that plays by itself, dark or "
      "light as its reader's system is; waits are shortened to 2 s");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "Examples:\n  orch shot 42\n  orch shot --at 12.5 --format svg x.cast > x.svg\n  orch shot "
      "42 --animate > film.svg");
  command->callback([options, &chosen] { chosen = [options] { return shoot(*options); }; });
}

}  // namespace orch::cli
