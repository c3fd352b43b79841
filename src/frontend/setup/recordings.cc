#include "setup/recordings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/text.h"
#include "client/find.h"
#include "mask/screen.h"
#include "setup/paths.h"
#include "store/file_io.h"

namespace orch::setup {
namespace {

namespace fs = std::filesystem;
using base::usage_error;

base::Result<std::string> recording_of(const std::string& word,
                                       const std::optional<std::string>& state_dir) {
  const base::Result<client::Place> place = place_of(state_dir);
  if (!place) return place.error();
  const base::Result<client::Found> found = client::find_shown(*place, word);
  if (found) return found->run.path + "/output.cast";
  if (found.error().code != base::ErrorCode::kNotFound) return found.error();
  if (word.empty()) return found.error();
  return usage_error(word + " is neither a recording nor an issue with a run in " +
                     place->state_dir);
}

}  // namespace

base::Result<std::string> recording_path(const std::string& name,
                                         const std::optional<std::string>& state_dir) {
  std::error_code failure;
  const fs::file_status file = fs::status(name, failure);
  const bool may_be_recording = !name.empty() && fs::exists(file) && !fs::is_directory(file);
  if (may_be_recording || name.find_first_of("/.") != std::string::npos) return name;
  return recording_of(name, state_dir);
}

base::Result<store::CastReader> open_recording(const std::string& path) {
  const bool of_run = fs::path(path).filename() == "output.cast";
  base::Result<store::CastReader> cast =
      of_run ? store::CastReader::open_regular(path) : store::CastReader::open(path);
  if (!cast) return usage_error(cast.error().text);
  return cast;
}

namespace {

constexpr size_t kMostManifestBytes = 1 << 20;

// Takes the manifest that the run of a recording has kept. Returns whether there is one.
base::Result<bool> take_kept(const std::string& recording, LoadedRecording& loaded) {
  const fs::path path = fs::path(recording).parent_path() / "manifest.json";
  std::error_code failure;
  if (fs::path(recording).filename() != "output.cast" || !fs::exists(path, failure)) return false;
  const base::Result<std::string> text = store::read_regular_file(path, kMostManifestBytes);
  if (!text) return text.error();
  base::Result<adapters::Manifest> manifest = adapters::parse_manifest(*text, path.string());
  if (!manifest) return manifest.error();
  loaded.kept = std::move(manifest).value();
  return true;
}

base::Status compile_rules(LoadedRecording& loaded) {
  base::Result<detect::RuleSet> rules =
      detect::RuleSet::compile(loaded.manifest->rules, base::Compiled::kWhenSearched);
  if (!rules) return rules.error();
  loaded.rules.emplace(std::move(rules).value());
  return base::Ok{};
}

}  // namespace

base::Status know_agent(const std::string& agent, LoadedRecording& loaded) {
  base::Result<std::string> here = resolve_folder(".");
  if (!here) return here.error();
  base::Result<adapters::Registry> agents = load_agents(repository_of(*here));
  if (!agents) return agents.error();
  loaded.agents = std::move(agents).value();
  base::Result<const adapters::Manifest*> manifest =
      find_agent(loaded.agents, agent.empty() ? loaded.cast->header().agent : agent);
  if (!manifest) return manifest.error();
  loaded.manifest = *manifest;
  return compile_rules(loaded);
}

base::Status load_recording(const std::string& name, const std::string& agent,
                            const std::optional<std::string>& state_dir, LoadedRecording& loaded) {
  const base::Result<std::string> path = recording_path(name, state_dir);
  if (!path) return path.error();
  base::Result<store::CastReader> cast = open_recording(*path);
  if (!cast) return cast.error();
  loaded.cast.emplace(std::move(cast).value());
  if (agent.empty() && loaded.cast->header().agent.empty()) {
    return usage_error(*path + " does not say which agent it shows; name it with --agent");
  }
  if (!agent.empty()) return know_agent(agent, loaded);
  const base::Result<bool> kept = take_kept(*path, loaded);
  if (!kept) return kept.error();
  if (!*kept) return know_agent(agent, loaded);
  loaded.manifest = &*loaded.kept;
  return compile_rules(loaded);
}

base::Result<std::vector<propose::Moment>> moments_of(const std::string& path) {
  base::Result<store::CastReader> cast = open_recording(path);
  if (!cast) return cast.error();
  propose::Moments moments({cast->header().cols, cast->header().rows});
  while (const store::CastEvent* event = cast->next()) {
    const int64_t ms = event->us / 1000;
    if (event->kind == store::CastKind::kOutput) moments.on_output(ms, event->data);
    if (event->kind == store::CastKind::kInput) moments.on_input(ms, event->data);
    if (event->kind != store::CastKind::kResize) continue;
    const auto size = store::parse_cast_size(event->data);
    if (size) moments.on_resize(ms, {size->cols, size->rows});
  }
  if (const base::Status whole = cast->trouble(); !whole) return whole.error();
  return moments.finish(cast->end_us() / 1000);
}

base::Result<int64_t> parse_moment(const std::string& text) {
  if (text.empty()) return std::numeric_limits<int64_t>::max();
  char* rest = nullptr;
  const double seconds = std::strtod(text.c_str(), &rest);
  const bool whole = *rest == '\0' || (rest[0] == 's' && rest[1] == '\0');
  if (rest == text.c_str() || !whole || !std::isfinite(seconds) || seconds < 0) {
    return usage_error("--at " + text +
                       ": write the seconds since the recording's start, like 12.5");
  }
  return static_cast<int64_t>(std::min(seconds, 1e12) * 1000);
}

void play(const store::CastEvent& event, term::Screen& screen) {
  if (event.kind == store::CastKind::kOutput) screen.feed(event.data);
  if (event.kind == store::CastKind::kMarker) {
    mask::cover(screen, mask::read_cover_marker(event.data));
  }
  if (event.kind != store::CastKind::kResize) return;
  if (const auto size = store::parse_cast_size(event.data)) screen.resize({size->cols, size->rows});
}

void print_status(const session::ReplayedEvent& replayed) {
  const auto* change = std::get_if<event::StatusChange>(&replayed.event);
  if (change == nullptr) return;
  const std::string status = event::status_text(change->status, change->cause);
  std::printf("%10.3f  %-20s %s\n", static_cast<double>(replayed.ms) / 1000, status.c_str(),
              base::printable(change->rule).c_str());
}

}  // namespace orch::setup
