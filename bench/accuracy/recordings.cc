#include "accuracy/recordings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/pattern.h"
#include "session/replay.h"
#include "store/file_io.h"

namespace orch::accuracy {
namespace {

constexpr size_t kMaxIgnoreBytes = 1 << 20;

}  // namespace

base::Error in_file(const std::string& path, const base::Error& error) {
  return {error.code, path + ": " + error.text};
}

base::Result<IgnoredSpans> read_ignored(const std::string& path) {
  if (path.empty()) return IgnoredSpans{};
  const base::Result<std::string> text = store::read_file(path, kMaxIgnoreBytes);
  if (!text) return text.error();
  base::Result<IgnoredSpans> ignored = parse_ignored(*text);
  if (!ignored) return in_file(path, ignored.error());
  return ignored;
}

base::Result<std::vector<RecordingFile>> find_recordings(const Selection& selection) {
  namespace fs = std::filesystem;
  std::optional<base::Pattern> excluded;
  if (!selection.exclude.empty()) {
    base::Result<base::Pattern> pattern = base::Pattern::compile(selection.exclude);
    if (!pattern) return in_file("--exclude", pattern.error());
    excluded = std::move(*pattern);
  }
  const std::vector<std::string>& agents = selection.agents;
  std::vector<RecordingFile> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(selection.folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry.depth() != 1 || entry->path().extension() != ".cast") continue;
    const std::string agent = entry->path().parent_path().filename();
    const std::string name = agent + "/" + entry->path().stem().string();
    const bool chosen = agents.empty() || std::count(agents.begin(), agents.end(), agent) > 0;
    if (!chosen || (excluded && excluded->matches(name))) continue;
    files.push_back({entry->path(), agent, name});
  }
  if (error) return base::system_error("read " + selection.folder, error.value());
  if (files.empty()) {
    return base::usage_error("no recordings in " + selection.folder + "/<agent>");
  }
  std::sort(files.begin(), files.end(),
            [](const RecordingFile& a, const RecordingFile& b) { return a.name < b.name; });
  return files;
}

base::Result<Recording> read_recording(const RecordingFile& file, const IgnoredSpans& ignored) {
  base::Result<store::Cast> cast = store::read_cast(file.path);
  if (!cast) return cast.error();
  base::Result<Truth> truth = truth_of(*cast);
  if (!truth) return in_file(file.path, truth.error());
  if (const auto spans = ignored.find(file.name); spans != ignored.end()) {
    ignore(*truth, spans->second);
  }
  return Recording{std::move(*cast), std::move(*truth)};
}

Score score_of(const Recording& recording, const adapters::Manifest& manifest,
               const detect::RuleSet& rules) {
  return score(recording.truth,
               timeline_of(session::Replay(recording.cast, manifest, rules).run()));
}

base::Result<adapters::Registry> load_agents(const Selection& selection) {
  if (selection.manifest.empty()) return adapters::Registry::load({});
  constexpr size_t kMaxManifestBytes = 64 << 10;
  base::Result<std::string> text = store::read_file(selection.manifest, kMaxManifestBytes);
  if (!text) return text.error();
  const std::array files{adapters::ManifestFile{selection.manifest, std::move(*text), {}}};
  return adapters::Registry::load(files);
}

base::Result<const adapters::Manifest*> manifest_of(const adapters::Registry& registry,
                                                    const RecordingFile& file,
                                                    const std::string& by) {
  const std::string& name = by.empty() ? file.agent : by;
  const adapters::Manifest* manifest = registry.find(name);
  if (manifest != nullptr) return manifest;
  return base::usage_error(file.path + ": there is no agent \"" + name + "\" (" + registry.names() +
                           ")");
}

}  // namespace orch::accuracy
